#include "mlflow/filter_reader.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace roost::mlflow {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";
constexpr std::string_view kEnds = " \t\r\n\f\v=<>!'\"`(),;";

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

}  // namespace

tl::unexpected<Error> FilterReader::error(std::size_t at, std::string_view why) const {
  return fail(ErrorCode::kInvalidArgument, fmt::format("Invalid filter string: at character {}, \"{}\": {}", at + 1,
                                                       printable(text_.substr(at), 40), why));
}

void FilterReader::skip_blanks() {
  while (!at_end() && is_one_of(text_[at_], kBlanks)) ++at_;
}

bool FilterReader::take_word(std::string_view word) {
  skip_blanks();
  const std::size_t end = at_ + word.size();
  if (end > text_.size() || lower(text_.substr(at_, word.size())) != word) return false;
  if (end < text_.size() && !is_one_of(text_[end], kEnds)) return false;
  at_ = end;
  return true;
}

bool FilterReader::take(char c) {
  skip_blanks();
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

Result<std::string> FilterReader::quoted(char end) {
  const std::size_t opened = at_++;
  const auto closed = text_.find(end, at_);
  if (closed == std::string_view::npos) return error(opened, fmt::format("this {} is not closed", end));
  std::string inside(text_.substr(at_, closed - at_));
  at_ = closed + 1;
  return inside;
}

Result<std::string> FilterReader::piece() {
  if (!at_end() && is_one_of(text_[at_], "`\"")) return quoted(text_[at_]);
  const std::size_t begin = at_;
  while (!at_end() && !is_one_of(text_[at_], kEnds)) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

Result<FilterReader::Identifier> FilterReader::identifier() {
  skip_blanks();
  const std::size_t begin = at_;
  ROOST_TRY(std::string whole, piece());
  // type.`a key`: what is quoted follows the dot.
  if (!whole.empty() && whole.back() == '.' && !at_end() && is_one_of(text_[at_], "`\"")) {
    ROOST_TRY(std::string key, piece());
    whole.pop_back();
    return Identifier{std::move(whole), std::move(key)};
  }
  const auto dot = whole.find('.');
  Identifier found = dot == std::string::npos ? Identifier{"", std::move(whole)}
                                              : Identifier{whole.substr(0, dot), whole.substr(dot + 1)};
  // A key may be quoted inside quotes: "metrics.`a b`" was seen nowhere, but the quotes are no part of any name.
  if (found.key.empty()) return error(begin, "a field is missing here, like metrics.loss or attributes.status");
  return found;
}

Result<FilterSign> FilterReader::sign() {
  skip_blanks();
  const std::size_t begin = at_;
  while (!at_end() && is_one_of(text_[at_], "=<>!")) ++at_;
  const std::string_view sign = text_.substr(begin, at_ - begin);
  if (sign == "=") return FilterSign::kEqual;
  if (sign == "!=") return FilterSign::kNotEqual;
  if (sign == "<") return FilterSign::kLess;
  if (sign == "<=") return FilterSign::kAtMost;
  if (sign == ">") return FilterSign::kGreater;
  if (sign == ">=") return FilterSign::kAtLeast;
  if (sign.empty()) {
    if (take_word("like")) return FilterSign::kLike;
    if (take_word("ilike")) return FilterSign::kAnyCaseLike;
    if (take_word("in")) return FilterSign::kIn;
    if (take_word("not") && take_word("in")) return FilterSign::kNotIn;
    if (take_word("is")) {
      const bool negated = take_word("not");
      if (take_word("null")) return negated ? FilterSign::kIsNotNull : FilterSign::kIsNull;
    }
  }
  return error(begin,
               "a comparison is expected here: =, !=, <, <=, >, >=, LIKE, ILIKE, IN, NOT IN, IS NULL or IS NOT NULL");
}

Result<FilterReader::Value> FilterReader::value() {
  skip_blanks();
  const std::size_t begin = at_;
  if (!at_end() && is_one_of(text_[at_], "'\"")) {
    ROOST_TRY(std::string text, quoted(text_[at_]));
    return Value{std::nullopt, std::move(text)};
  }
  while (!at_end() && !is_one_of(text_[at_], kEnds)) ++at_;
  // "1AND" is a number and a word.
  while (at_ > begin + 1 && !is_one_of(text_[at_ - 1], "0123456789.")) --at_;
  std::string_view digits = text_.substr(begin, at_ - begin);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double number = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  // from_chars also reads "inf" and "nan", which are names here.
  const bool is_number = !digits.empty() && is_one_of(digits.back(), "0123456789.") && failed == std::errc() &&
                         end == digits.data() + digits.size() && std::isfinite(number);
  if (!is_number) return error(begin, "a value is expected here: a number, or text in quotes");
  return Value{number, ""};
}

}  // namespace roost::mlflow
