#pragma once

#include <string>
#include <string_view>

#include "infer/tensor.h"

namespace roost {

// Text in quotes, escaped. What is not UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// The shortest text that reads back as the same number; a float has a point or an exponent, as in Python. NaN, Infinity and
// -Infinity are bare, or in quotes if `quote_words`.
template <class T>
void append_json_number(std::string& out, T value, bool quote_words = false);

enum class JsonLists { kFlat, kNested };  // one list, or lists in lists as the shape says (a scalar is in none)
// The values as JSON. kInvalidArgument for strings that are not UTF-8, with the name of the tensor; kInternal for data that
// does not fit its shape.
Status append_json_values(std::string& out, const Tensor& tensor, JsonLists lists);

}  // namespace roost
