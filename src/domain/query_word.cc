#include "domain/query_word.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

}  // namespace

void QueryReader::skip_blanks() {
  while (!at_end() && is_one_of(text_[at_], kBlanks)) ++at_;
}

bool QueryReader::take_keyword(std::string_view keyword) {
  const std::size_t end = at_ + keyword.size();
  if (end > text_.size() || lower(text_.substr(at_, keyword.size())) != keyword) return false;
  if (end < text_.size() && !is_one_of(text_[end], " \t\r\n()")) return false;
  at_ = end;
  return true;
}

// Text up to one of `ends`; quotes hold blanks and signs together, \" and \\ inside them stand for themselves.
Result<std::string> QueryReader::piece(std::string_view ends) {
  std::string out;
  while (!at_end() && !is_one_of(text_[at_], ends)) {
    // MLflow writes odd names in backticks.
    if (text_[at_] == '`' && out.ends_with('.')) {
      const auto closed = text_.find('`', at_ + 1);
      if (closed == std::string_view::npos) return fail(error(at_, text_.substr(at_), "this ` is not closed"));
      out += text_.substr(at_ + 1, closed - at_ - 1);
      at_ = closed + 1;
      continue;
    }
    if (text_[at_] != '"') {
      out += text_[at_++];
      continue;
    }
    const std::size_t opened = at_++;
    while (!at_end() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && is_one_of(text_[at_ + 1], "\"\\")) ++at_;
      out += text_[at_++];
    }
    if (at_end()) return fail(error(opened, text_.substr(opened), "this quote is not closed; add a \" where the text ends"));
    ++at_;
  }
  return out;
}

// 'text in single quotes', as MLflow has it, or any other.
Result<std::string> QueryReader::value_piece() {
  if (peek() != '\'') return piece(" \t\r\n(),");
  const auto closed = text_.find('\'', at_ + 1);
  const bool ends_there = closed != std::string_view::npos && (closed + 1 == text_.size() || is_one_of(text_[closed + 1], " \t\r\n(),"));
  if (!ends_there) return piece(" \t\r\n(),");
  std::string inside(text_.substr(at_ + 1, closed - at_ - 1));
  at_ = closed + 1;
  return inside;
}

// Takes the blanks of "metrics.loss < 1" and the words of "params.opt like 'a%'" and "id in ('a', 'b')", if that is what
// follows; else nothing.
bool QueryReader::take_blanks_before_sign(QueryWord& word) {
  if (word.key.empty() || word.quoted) return false;
  QueryReader ahead = *this;
  ahead.skip_blanks();
  const bool has_blanks = ahead.at_ != at_;
  const bool is_sign = is_one_of(ahead.peek(), "=<>") || ahead.text_.substr(ahead.at_, 2) == "!=";
  if (is_sign && !ahead.at_end()) {
    // A ( right after a sign is a list in neither spelling.
    const auto end = ahead.text_.find_first_not_of("=<>!", ahead.at_);
    const bool blank_after = end != std::string_view::npos && is_one_of(ahead.text_[end], kBlanks);
    if (!has_blanks && !blank_after) return false;
    at_ = ahead.at_;
    return true;
  }
  if (!has_blanks) return false;
  for (const std::string_view keyword : {"like", "ilike", "in"}) {
    QueryReader after = ahead;
    if (!after.take_keyword(keyword)) continue;
    after.skip_blanks();
    if (!is_one_of(after.peek(), keyword == "in" ? "(" : "'\"") || after.at_end()) continue;
    word.sign = keyword == "in" ? "=" : keyword;
    at_ = after.at_;
    return true;
  }
  return false;
}

Result<QueryWord> QueryReader::word() {
  QueryWord word;
  word.at = at_;
  word.quoted = peek() == '"';
  ROOST_TRY(word.key, piece(" \t\r\n():=<>!"));
  // A ! says something only before =.
  while (peek() == '!' && text_.substr(at_, 2) != "!=") {
    word.key += text_[at_++];
    ROOST_TRY(const std::string more, piece(" \t\r\n():=<>!"));
    word.key += more;
  }
  const bool apart = take_blanks_before_sign(word);
  if (word.sign.empty()) {
    while (is_one_of(peek(), ":=<>!") && !at_end() && word.sign.size() < 3) word.sign += text_[at_++];
  }
  // status:=failed and created:>2026-11-01 are how other search boxes write it.
  if (word.sign.size() > 1 && word.sign[0] == ':') word.sign.erase(0, 1);
  if (word.sign == "==") word.sign = "=";
  if (apart) skip_blanks();
  const bool listed = apart && peek() == '(';
  if (listed) advance();
  if (!word.sign.empty()) {
    do {
      if (listed) skip_blanks();
      ROOST_TRY(std::string value, value_piece());
      word.values.push_back(std::move(value));
      if (listed) skip_blanks();
    } while (peek() == ',' && (advance(), true));
  }
  if (listed) {
    if (peek() != ')') return fail(error(word.at, text_.substr(word.at, at_ - word.at), "its list is not closed; add a )"));
    advance();
  }
  word.raw = text_.substr(word.at, at_ - word.at);
  return word;
}

Error QueryReader::error(std::size_t at, std::string_view raw, std::string_view why) const {
  const auto before = text_.substr(0, at);
  const auto characters = std::count_if(before.begin(), before.end(), [](char c) { return (c & 0xC0) != 0x80; });
  const std::string where = raw.empty() ? std::string() : fmt::format(", \"{}\"", printable(raw));
  return {ErrorCode::kInvalidArgument, fmt::format("the query at character {}{}: {}", characters + 1, where, why)};
}

}  // namespace roost
