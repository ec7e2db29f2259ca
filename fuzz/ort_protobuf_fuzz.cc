// PredictRequests as binary messages: refused, or tensors that are whole, which are printed in both ways.
#include <cstdint>
#include <memory>
#include <string>

#include "infer/ort_json.h"
#include "infer/ort_protobuf.h"
#include "infer_models.h"

namespace {

void try_one(const std::string& bytes, const roost::ModelSignature& model) {
  const auto request = roost::parse_ort_protobuf(std::make_shared<std::string>(bytes), model);
  if (!request) {
    if (request.error().code != roost::ErrorCode::kInvalidArgument) __builtin_trap();
    return;
  }
  for (const roost::Tensor& tensor : request->request.inputs) check_tensor(tensor);
  for (const bool raw : {false, true}) {
    (void)roost::print_ort_protobuf({request->request.inputs}, raw);
    std::string json = roost::print_ort_json({request->request.inputs}, raw);
    json.replace(2, 7, "inputs");
    if (!roost::parse_ort_json(json, model)) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try_one(bytes, every_type());
  try_one(bytes, single_input(data[0]));
  return 0;
}
