#include "cli/work/toml_document.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr int kDeepest = 32;

bool is_bare(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }

class TomlReader {
 public:
  TomlReader(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  Result<Json> read() {
    Json document = Json::object();
    Json* table = &document;
    for (skip(true); at_ < text_.size(); skip(true)) {
      if (text_[at_] == '[') {
        ROOST_TRY(table, header(document));
      } else {
        ROOST_CHECK(pair(*table, 0));
      }
      skip(false);
      if (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') return wrong("something follows on the line");
    }
    return document;
  }

 private:
  tl::unexpected<Error> wrong(const std::string& problem) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())), '\n');
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}, line {}: {}", what_, line, problem));
  }

  bool next_is(std::string_view word) const { return text_.substr(std::min(at_, text_.size())).starts_with(word); }

  // Blanks and comments; line ends too if asked to.
  void skip(bool lines) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r'))) {
        ++at_;
      } else {
        return;
      }
    }
  }

  // [a.b] or [[a.b]]: the table that the pairs below belong to.
  Result<Json*> header(Json& document) {
    const bool is_list = next_is("[[");
    at_ += is_list ? 2 : 1;
    ROOST_TRY(const auto path, keys());
    if (!next_is(is_list ? "]]" : "]")) return wrong("the name of a table is not closed");
    at_ += is_list ? 2 : 1;
    Json* table = &document;
    for (std::size_t i = 0; i < path.size(); ++i) {
      Json& next = (*table)[path[i]];
      const bool last = i + 1 == path.size();
      if (last && is_list) {
        if (next.is_null()) next = Json::array();
        if (!next.is_array()) return wrong(fmt::format("\"{}\" is there already", printable(path[i])));
        next.push_back(Json::object());
      }
      if (next.is_null()) next = Json::object();
      table = next.is_array() && !next.empty() ? &next.back() : &next;
      if (!table->is_object()) return wrong(fmt::format("\"{}\" is no table", printable(path[i])));
    }
    return table;
  }

  Result<std::vector<std::string>> keys() {
    std::vector<std::string> path;
    for (;;) {
      skip(false);
      if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
        ROOST_TRY(std::string name, quoted());
        path.push_back(std::move(name));
      } else {
        const auto start = at_;
        while (at_ < text_.size() && is_bare(text_[at_])) ++at_;
        if (at_ == start) return wrong("a name is missing");
        path.emplace_back(text_.substr(start, at_ - start));
      }
      if (path.size() > kDeepest) return wrong("a name has too many parts");
      skip(false);
      if (!next_is(".")) return path;
      ++at_;
    }
  }

  Status pair(Json& table, int depth) {
    ROOST_TRY(const auto path, keys());
    if (!next_is("=")) return wrong("\"=\" is missing after the name");
    ++at_;
    Json* place = &table;
    for (const std::string& name : path) {
      if (!place->is_object()) return wrong("a value has fields");
      place = &(*place)[name];
      if (place->is_null() && &name != &path.back()) *place = Json::object();
    }
    if (!place->is_null()) return wrong(fmt::format("\"{}\" is there twice", printable(path.back())));
    ROOST_TRY(*place, value(depth + 1));
    return {};
  }

  Result<Json> value(int depth) {
    if (depth > kDeepest) return wrong("nested too deeply");
    skip(false);
    if (at_ >= text_.size()) return wrong("a value is missing");
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      ROOST_TRY(std::string text, quoted());
      return Json(std::move(text));
    }
    if (c == '[') return array(depth);
    if (c == '{') return inline_table(depth);
    const auto end = std::min(text_.find_first_of(",]}#\r\n", at_), text_.size());
    const std::string word(trim(text_.substr(at_, end - at_)));
    if (word.empty()) return wrong("a value is missing");
    // Of what stands without quotes only a date and its time have a blank between them.
    const bool is_time = word.size() > 10 && word[4] == '-' && word[7] == '-';
    if (word.find_first_of(" \t") != std::string::npos && !is_time) return wrong("something follows on the line");
    at_ = end;
    if (word == "true" || word == "false") return Json(word == "true");
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc() && stop == word.data() + word.size()) return Json(number);
    return Json(word);
  }

  Result<Json> array(int depth) {
    Json items = Json::array();
    ++at_;
    for (skip(true); !next_is("]"); skip(true)) {
      ROOST_TRY(Json item, value(depth + 1));
      items.push_back(std::move(item));
      skip(true);
      if (next_is(",")) {
        ++at_;
      } else if (!next_is("]")) {
        return wrong("a list is not closed");
      }
    }
    ++at_;
    return items;
  }

  Result<Json> inline_table(int depth) {
    Json table = Json::object();
    ++at_;
    for (skip(true); !next_is("}"); skip(true)) {
      ROOST_CHECK(pair(table, depth));
      skip(true);
      if (next_is(",")) {
        ++at_;
      } else if (!next_is("}")) {
        return wrong("a table is not closed");
      }
    }
    ++at_;
    return table;
  }

  Result<std::string> quoted() {
    const char mark = text_[at_];
    const std::string three(3, mark);
    const bool is_long = next_is(three);
    const std::string end = is_long ? three : std::string(1, mark);
    at_ += end.size();
    if (is_long && next_is("\n")) ++at_;
    std::string out;
    while (!next_is(end)) {
      if (at_ >= text_.size() || (!is_long && text_[at_] == '\n')) return wrong("a text is not closed");
      if (mark == '"' && text_[at_] == '\\') {
        ROOST_CHECK(escape(out));
      } else {
        out += text_[at_++];
      }
    }
    at_ += end.size();
    return out;
  }

  Status escape(std::string& out) {
    constexpr std::string_view kLetters = "btnfre\"\\";
    constexpr std::string_view kMeanings = "\b\t\n\f\r\033\"\\";
    ++at_;
    if (at_ >= text_.size()) return wrong("a text is not closed");
    const char c = text_[at_++];
    if (const auto known = kLetters.find(c); known != std::string_view::npos) {
      out += kMeanings[known];
    } else if (c == 'u' || c == 'U') {
      // Names of packages and versions are plain; what is not is kept as it was written.
      out += {'\\', c};
    } else if (c == '\n') {
      skip(true);
    } else {
      return wrong("an escape that there is not");
    }
    return {};
  }

  const std::string_view text_;
  const std::string_view what_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Json> parse_toml(std::string_view text, std::string_view what) { return TomlReader(text, what).read(); }

}  // namespace roost
