#pragma once

#include <memory>
#include <string>

#include "infer/infer_request.h"

namespace roost {

// A request that is nothing but the bytes of the only input. Its shape is the model's, of which one part may vary; a
// variable first part is 1 if there is another. BYTES are one string, without a length before it. Answers are binary.
Result<InferRequest> parse_v2_raw(std::shared_ptr<std::string> body, const ModelSignature& model);

}  // namespace roost
