#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "infer/tensor.h"

namespace roost {

struct WantedOutput {
  std::string name;
  bool binary = false;        // as bytes behind the JSON; v2 only
  std::uint64_t classes = 0;  // only the so many highest values, as text (v2's "classification"); 0 means the tensor itself
};

// What one request asks of one model, whatever format it came in.
struct InferRequest {
  std::string id;                     // the caller's, given back; may be empty
  std::vector<Tensor> inputs;         // all of the model's inputs, in the model's order, of types and shapes that it takes
  std::vector<WantedOutput> outputs;  // in the order of the answer. Never empty: a request that names none gets all
};

struct InferAnswer {
  std::vector<Tensor> outputs;  // one for each of InferRequest::outputs, in that order
};

}  // namespace roost
