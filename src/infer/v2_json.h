#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infer/infer_request.h"

namespace roost {

// The JSON part of a v2 request, checked for itself, not yet against the model.
struct V2Input {
  std::string name;
  DataType type = DataType::kFp32;
  std::vector<std::int64_t> shape;
  std::optional<std::string_view> data;  // its text, valid JSON; views what was read
  std::optional<std::uint64_t> binary_size;
};
struct V2Json {
  std::string id;
  std::vector<V2Input> inputs;
  std::vector<WantedOutput> outputs;
  bool binary_output = false;  // for outputs that do not say, and for all if none is named
};

// `model` only bounds how many inputs and outputs are read. Fields that are not known are passed over, as Triton does.
Result<V2Json> read_v2_json(std::string_view text, const ModelSignature& model);

}  // namespace roost
