#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlflow/filter.h"

namespace roost::mlflow {

// Reads a filter or an order from front to back. Inside their parsers only.
class FilterReader {
 public:
  explicit FilterReader(std::string_view text) : text_(text) {}

  void skip_blanks();
  bool at_end() const { return at_ == text_.size(); }
  std::size_t position() const { return at_; }
  // Takes the word, in upper or lower case, if it stands here by itself.
  bool take_word(std::string_view word);
  bool take(char c);

  // `key`, `type.key`, type.`a key`, with backticks or double quotes around what is odd; the parts as they were
  // written, the first one apart.
  struct Identifier {
    std::string type;  // "" if there is none
    std::string key;
  };
  Result<Identifier> identifier();
  // =, !=, <, <=, >, >=, LIKE, ILIKE, IN, NOT IN, IS NULL, IS NOT NULL
  Result<FilterSign> sign();
  struct Value {
    std::optional<double> number;
    std::string text;
  };
  Result<Value> value();

  tl::unexpected<Error> error(std::size_t at, std::string_view why) const;

 private:
  Result<std::string> piece();
  Result<std::string> quoted(char end);
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace roost::mlflow
