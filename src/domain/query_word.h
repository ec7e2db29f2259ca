#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/run_query.h"

namespace roost {

// One term of a query as it was written: key, operator, values. Inside the parser of queries only.
struct QueryWord {
  std::string raw;
  std::size_t at = 0;  // its first byte in the query
  std::string key;     // without quotes; all of it where there is no operator
  bool quoted = false;  // it begins with a quote, so it is no field
  std::string sign;     // "", ":", "=", "!=", "<", "<=", ">", ">=", "like", "ilike"
  std::vector<std::string> values;
};

// Reads a query from front to back.
class QueryReader {
 public:
  explicit QueryReader(std::string_view text) : text_(text) {}

  void skip_blanks();
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void advance() { ++at_; }
  std::size_t position() const { return at_; }
  // The reader stands at neither a blank nor a parenthesis.
  Result<QueryWord> word();
  // Takes the word (and, or, not in either case) if it stands here by itself.
  bool take_keyword(std::string_view keyword);

  // "at character 8, "status:faild": there is no ..."
  Error error(std::size_t at, std::string_view raw, std::string_view why) const;

 private:
  Result<std::string> piece(std::string_view ends);
  Result<std::string> value_piece();
  bool take_blanks_before_sign(QueryWord& word);
  std::string_view text_;
  std::size_t at_ = 0;
};

// What a term means; the error is the reason alone, without its place.
Result<QueryNode> query_term(const QueryWord& word);

}  // namespace roost
