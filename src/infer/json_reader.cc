#include "infer/json_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, unsigned code) {
  const auto add = [&](unsigned byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | (code >> 6));
    add(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    add(0xE0 | (code >> 12));
    add(0x80 | ((code >> 6) & 0x3F));
    add(0x80 | (code & 0x3F));
  } else {
    add(0xF0 | (code >> 18));
    add(0x80 | ((code >> 12) & 0x3F));
    add(0x80 | ((code >> 6) & 0x3F));
    add(0x80 | (code & 0x3F));
  }
}

}  // namespace

JsonReader::JsonReader(std::string_view text, std::string what)
    : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), what_(std::move(what)) {}

void JsonReader::skip_space() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
}

char JsonReader::peek() {
  skip_space();
  return at_ == end_ ? '\0' : *at_;
}

bool JsonReader::take(char sign) {
  skip_space();
  if (at_ == end_ || *at_ != sign) return false;
  ++at_;
  return true;
}

tl::unexpected<Error> JsonReader::wrong(std::string_view expected) const {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  const std::string found = rest.empty() ? "the end" : fmt::format("'{}'", printable(rest.substr(0, 12)));
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{} is wrong at byte {}: expected {}, found {}", what_, at_ - begin_, expected, found));
}

Status JsonReader::open(char sign) {
  if (!take(sign)) return wrong(sign == '{' ? "an object" : "a list");
  if (++depth_ > kMaxDepth) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{} is nested deeper than {} levels", what_, kMaxDepth));
  }
  return {};
}

Status JsonReader::object(const std::function<Status(const std::string& name)>& member) {
  ROOST_CHECK(open('{'));
  if (!take('}')) {
    do {
      if (peek() != '"') return wrong("a name in quotes");
      ROOST_TRY(const std::string name, string());
      if (!take(':')) return wrong("':'");
      ROOST_CHECK(member(name));
    } while (take(','));
    if (!take('}')) return wrong("',' or '}'");
  }
  --depth_;
  return {};
}

Status JsonReader::list(const std::function<Status()>& item) {
  ROOST_CHECK(open('['));
  if (!take(']')) {
    do {
      ROOST_CHECK(item());
    } while (take(','));
    if (!take(']')) return wrong("',' or ']'");
  }
  --depth_;
  return {};
}

Result<std::string> JsonReader::string() {
  std::string scratch;
  ROOST_TRY(const std::string_view text, string(scratch));
  if (text.data() == scratch.data()) return scratch;
  return std::string(text);
}

Result<std::string_view> JsonReader::string(std::string& scratch) {
  if (!take('"')) return wrong("a string");
  scratch.clear();
  const char* from = at_;
  bool has_escapes = false;
  while (true) {
    while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20) ++at_;
    if (at_ == end_) return wrong("the '\"' that ends the string");
    if (static_cast<unsigned char>(*at_) < 0x20) return wrong("no control characters in a string");
    if (has_escapes || *at_ == '\\') scratch.append(from, at_);
    if (*at_ == '"') break;
    has_escapes = true;
    ROOST_CHECK(escape(scratch));
    from = at_;
  }
  const std::string_view text = has_escapes ? std::string_view(scratch) : std::string_view(from, static_cast<std::size_t>(at_ - from));
  if (!is_utf8(text)) return wrong("a string in UTF-8 to end here");
  ++at_;
  return text;
}

Result<unsigned> JsonReader::hex4() {
  unsigned code = 0;
  const char* last = at_ + std::min<std::ptrdiff_t>(4, end_ - at_);
  const auto [after, problem] = std::from_chars(at_, last, code, 16);
  if (problem != std::errc() || after != at_ + 4) return wrong("four hex digits");
  at_ = after;
  return code;
}

Status JsonReader::escape(std::string& out) {
  static constexpr std::string_view kSigns = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  ++at_;  // the backslash
  if (at_ == end_) return wrong("the rest of an escape");
  if (*at_ != 'u') {
    const auto place = kSigns.find(*at_);
    if (place == std::string_view::npos) return wrong("an escape that JSON has");
    out.push_back(kMeanings[place]);
    ++at_;
    return {};
  }
  ++at_;
  ROOST_TRY(unsigned code, hex4());
  if (code >= 0xD800 && code < 0xDC00) {
    if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return wrong("the second half of a surrogate pair");
    at_ += 2;
    ROOST_TRY(const unsigned low, hex4());
    if (low < 0xDC00 || low > 0xDFFF) return wrong("the second half of a surrogate pair before this");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  } else if (code >= 0xDC00 && code < 0xE000) {
    return wrong("the first half of a surrogate pair before this");
  }
  append_utf8(out, code);
  return {};
}

Result<bool> JsonReader::boolean() {
  if (const char c = peek(); c == 't' || c == 'f') {
    ROOST_CHECK(skip_word());
    return c == 't';
  }
  return wrong("true or false");
}

Result<std::int64_t> JsonReader::integer() {
  std::string scratch;
  std::string_view text;
  if (peek() == '"') {
    ROOST_TRY(text, string(scratch));
  } else {
    const char* from = at_;
    ROOST_CHECK(skip_number());
    text = std::string_view(from, static_cast<std::size_t>(at_ - from));
  }
  std::int64_t value = 0;
  const auto [after, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc() || after != text.data() + text.size()) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{} is wrong at byte {}: '{}' is not a whole number of 64 bits", what_,
                                                         at_ - begin_, printable(text, 30)));
  }
  return value;
}

Status JsonReader::skip_number() {
  const auto digits = [this] {
    const char* from = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != from;
  };
  if (at_ != end_ && *at_ == '-') ++at_;
  if (at_ != end_ && *at_ == '0') {
    ++at_;
  } else if (!digits()) {
    return wrong("a value");
  }
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    if (!digits()) return wrong("a digit");
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!digits()) return wrong("a digit");
  }
  return {};
}

Status JsonReader::skip_word() {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  for (const std::string_view word : {"true", "false", "null", "NaN", "Infinity", "-Infinity"}) {
    if (rest.starts_with(word)) {
      at_ += word.size();
      return {};
    }
  }
  return wrong("a value");
}

Result<std::string_view> JsonReader::skip() {
  const char first = peek();
  const char* from = at_;
  if (first == '{') {
    ROOST_CHECK(object([this](const std::string&) -> Status {
      ROOST_CHECK(skip());
      return {};
    }));
  } else if (first == '[') {
    ROOST_CHECK(list([this]() -> Status {
      ROOST_CHECK(skip());
      return {};
    }));
  } else if (first == '"') {
    std::string scratch;
    ROOST_CHECK(string(scratch));
  } else if (is_digit(first) || (first == '-' && !(end_ - at_ > 1 && at_[1] == 'I'))) {
    ROOST_CHECK(skip_number());
  } else {
    ROOST_CHECK(skip_word());
  }
  return std::string_view(from, static_cast<std::size_t>(at_ - from));
}

Status JsonReader::end() {
  if (peek() != '\0' || at_ != end_) return wrong("nothing more");
  return {};
}

}  // namespace roost
