#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "infer/infer_request.h"

namespace roost {

// The lower-case name of the header that says how long the JSON before the binary tensors is.
inline constexpr const char* kV2HeaderLength = "inference-header-content-length";

// A request of the Open Inference Protocol v2 with the binary tensor extension. `header_length` is the text of that header,
// "" if it was not sent; "0" means that the body is the only input's bytes, and the shape is the model's, whose one
// variable part is reckoned from the size.
// Binary tensors are not copied: they view `body`, which the request keeps alive. So that each lies as its type needs it,
// blocks may be moved within the body, into the room of the JSON that was read: it is not to be used after this.
// Text strings of the JSON form and BYTES are in Tensor::strings.
// JSON data may be flat or nested. Besides JSON numbers it may hold NaN, Infinity and -Infinity, bare as Python writes them
// or as strings, for FP32 and FP64. FP16 and BF16 have no JSON form. Refused with kInvalidArgument.
Result<InferRequest> parse_v2_request(std::string_view header_length, std::shared_ptr<std::string> body, const ModelSignature& model);

}  // namespace roost
