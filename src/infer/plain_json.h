#pragma once

#include <string>
#include <string_view>

#include "infer/infer_request.h"

namespace roost {

// The form people write by hand:
//   {"data": [[5.1, 3.5], [6.2, 2.9]]}                 a model with one input
//   {"data": {"ids": [[1, 2]], "mask": [[1, 1]]}}      by name, also {"inputs": {...}}
// Shapes are those of the nested lists, types the model's (FP16 and BF16 too). Where the list has one level less than the
// model wants and the model's first size may vary or is 1, it is one row: {"data": [5.1, 3.5]}. Lists whose rows differ in
// length are refused with the place where they do. "outputs": ["name"] asks for some only; "method" and "id" are let by.
// NaN, Infinity and -Infinity are taken bare or as strings.
struct PlainRequest {
  bool under_name = false;
  InferRequest request;
};
Result<PlainRequest> parse_plain_request(std::string_view body, const ModelSignature& model);

// {"result": [[...]]} for one output, {"outputs": {"label": [...], "scores": [[...]]}} for several, and for one too if the
// request gave its inputs by name. Nested lists in the shape of the tensor; NaN and infinities bare, as Python's json does.
// Strings that are not UTF-8 are kInvalidArgument: only the binary forms can hold them.
Result<std::string> print_plain_answer(const InferAnswer& answer, bool under_name);

}  // namespace roost
