#pragma once

#include "infer/infer_request.h"
#include "net/http.h"

namespace roost {

// The answer in the form that the request asked for: JSON, with the header and the binary tensors behind it if there are any.
// Numbers are the shortest that read back the same; NaN and infinities are NaN, Infinity and -Infinity as Triton and Python
// write them. FP16 and BF16 that were not asked for in binary: kInvalidArgument, which says how to ask.
Result<Response> print_v2_answer(const ModelSignature& model, const InferRequest& request, const InferAnswer& answer);

// {"error": text} with the status that Triton has for it: 400, 404, 405, 413, 500, 501, 503, 504.
Response v2_error(const Error& error);

}  // namespace roost
