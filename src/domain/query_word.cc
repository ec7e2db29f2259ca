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
  while (is_one_of(peek(), ":=<>!") && !at_end() && word.sign.size() < 3) word.sign += text_[at_++];
  // status:=failed and created:>2026-11-01 are how other search boxes write it.
  if (word.sign.size() > 1 && word.sign[0] == ':') word.sign.erase(0, 1);
  if (word.sign == "==") word.sign = "=";
  if (!word.sign.empty()) {
    do {
      ROOST_TRY(std::string value, piece(" \t\r\n(),"));
      word.values.push_back(std::move(value));
    } while (peek() == ',' && (advance(), true));
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
