// PredictRequests as JSON: refused, or printed in both ways and read again as the same.
#include <cstdint>
#include <string>

#include "infer/ort_json.h"
#include "infer_models.h"

namespace {

void try_one(std::string_view bytes, const roost::ModelSignature& model) {
  const auto request = roost::parse_ort_json(bytes, model);
  if (!request) {
    if (request.error().code != roost::ErrorCode::kInvalidArgument) __builtin_trap();
    return;
  }
  for (const roost::Tensor& tensor : request->request.inputs) check_tensor(tensor);
  for (const bool raw : {false, true}) {
    std::string again = roost::print_ort_json({request->request.inputs}, raw);
    again.replace(2, 7, "inputs");
    const auto same = roost::parse_ort_json(again, model);
    if (!same) __builtin_trap();
    for (std::size_t i = 0; i < model.inputs.size(); ++i) {
      const auto& one = request->request.inputs[i];
      const auto& other = same->request.inputs[i];
      const bool is_float = one.type == roost::DataType::kFp32 || one.type == roost::DataType::kFp64;  // NaN has many bits
      if (one.strings != other.strings || one.data.size() != other.data.size() || (!is_float && one.data != other.data)) __builtin_trap();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try_one(bytes, every_type());
  try_one(bytes, single_input(data[0]));
  return 0;
}
