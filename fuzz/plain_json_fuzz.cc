// What is posted to /score: whatever it is, it is refused with a reason or becomes whole tensors; plain answers that are
// printed can be read again.
#include <cstdint>
#include <memory>
#include <string>

#include "infer/plain_json.h"
#include "infer/score_request.h"
#include "infer_models.h"

namespace {

void try_one(const std::string& bytes, const roost::ModelSignature& model) {
  const auto score = roost::parse_score_request("application/json", "", std::make_shared<std::string>(bytes), model);
  if (!score) {
    if (score.error().code != roost::ErrorCode::kInvalidArgument) __builtin_trap();
    return;
  }
  for (const roost::Tensor& tensor : score->request.inputs) check_tensor(tensor);
  auto text = roost::print_plain_answer({score->request.inputs}, true);
  if (!text) {
    if (text.error().code != roost::ErrorCode::kInvalidArgument) __builtin_trap();
    return;
  }
  text->replace(2, 7, "inputs");
  const auto again = roost::parse_plain_request(*text, model);
  if (!again) __builtin_trap();
  if (again->request.inputs.front().data.size() != score->request.inputs.front().data.size()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try_one(bytes, every_type());
  try_one(bytes, single_input(data[0]));
  return 0;
}
