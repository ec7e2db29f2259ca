// Requests of the Open Inference Protocol: refused with a reason, or tensors that are whole, and whose answer can be printed.
#include <cstdint>
#include <memory>
#include <string>

#include "infer/v2_answer.h"
#include "infer/v2_request.h"
#include "infer_models.h"

namespace {

void try_one(const std::string& header, const std::string& bytes, const roost::ModelSignature& model) {
  const auto request = roost::parse_v2_request(header, std::make_shared<std::string>(bytes), model);
  if (!request) {
    if (request.error().code != roost::ErrorCode::kInvalidArgument || request.error().message.empty()) __builtin_trap();
    return;
  }
  for (const roost::Tensor& tensor : request->inputs) check_tensor(tensor);
  roost::InferAnswer answer;
  for (const roost::WantedOutput& output : request->outputs) {
    for (const roost::Tensor& input : request->inputs) {
      if (input.name == output.name || model.inputs.size() == 1) answer.outputs.push_back(input);
    }
  }
  (void)roost::print_v2_answer(model, *request, answer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  try_one("", bytes, every_type());
  try_one(std::to_string(data[0] * 256 + data[1]), bytes, every_type());
  try_one(std::to_string(data[0] * 256 + data[1]), bytes, single_input(data[2]));
  try_one("0", bytes, single_input(data[2]));
  return 0;
}
