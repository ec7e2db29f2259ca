#include "infer/ort_protobuf.h"

#include "infer/align_blocks.h"
#include "infer/check_request.h"
#include "infer/tensor_proto.h"
#include "wire/proto_wire.h"

namespace roost {
namespace {

using Kind = ProtoField::Kind;
constexpr std::uint32_t kInputs = 2, kOutputFilter = 3, kOutputs = 1, kMapKey = 1, kMapValue = 2;

struct MapEntry {
  std::string_view key, value;
};
Result<MapEntry> read_entry(std::string_view message) {
  MapEntry out;
  ROOST_CHECK(each_field(message, [&](const ProtoField& field) -> Status {
    if (field.number == kMapKey) out.key = field.bytes;
    if (field.number == kMapValue) out.value = field.bytes;
    return {};
  }));
  return out;
}

struct RawInput {
  std::size_t input = 0;
  Block block;
};

// Makes the raw inputs views of the body, where each lies as its type needs.
void view_raw(const std::shared_ptr<std::string>& body, const std::vector<RawInput>& raw, std::vector<Tensor>& inputs) {
  std::vector<Block> blocks;
  for (const RawInput& one : raw) blocks.push_back(one.block);
  // Every block has its name, its type and its tags before it; but those may be shorter than what the blocks must move.
  const bool aligned = align_blocks(*body, blocks);
  for (std::size_t i = 0; i < raw.size(); ++i) {
    Tensor& tensor = inputs[raw[i].input];
    tensor.data = std::string_view(*body).substr(blocks[i].begin, blocks[i].size);
    tensor.owner = body;
    if (aligned) continue;
    const auto copy = std::make_shared<std::string>(tensor.data);
    tensor.data = *copy;
    tensor.owner = copy;
  }
}

}  // namespace

Result<OrtRequest> parse_ort_protobuf(std::shared_ptr<std::string> body, const ModelSignature& model) {
  OrtRequest out;
  std::vector<RawInput> raw;
  ROOST_CHECK(each_field(*body, [&](const ProtoField& field) -> Status {
    if (field.kind != Kind::kBytes) return {};
    if (field.number == kOutputFilter) return want_output(model, out.request, std::string(field.bytes));
    if (field.number != kInputs) return {};
    ROOST_CHECK(room_for_input(model, out.request));
    ROOST_TRY(const MapEntry entry, read_entry(field.bytes));
    ROOST_CHECK(find_input(model, entry.key));
    ROOST_TRY(ProtoTensor tensor, read_tensor_proto(entry.value, std::string(entry.key)));
    if (tensor.raw) {
      out.raw = true;
      if (!tensor.raw->empty()) {
        const auto begin = static_cast<std::size_t>(tensor.raw->data() - body->data());
        raw.push_back({out.request.inputs.size(), {begin, tensor.raw->size(), element_size(tensor.tensor.type)}});
      }
    }
    out.request.inputs.push_back(std::move(tensor.tensor));
    return {};
  }));
  view_raw(body, raw, out.request.inputs);
  ROOST_CHECK(check_request(model, out.request, false));
  return out;
}

std::string print_ort_protobuf(const InferAnswer& answer, bool raw) {
  std::string out;
  for (const Tensor& tensor : answer.outputs) {
    const std::string head = tensor_proto_head(tensor, raw);
    const std::string_view data = has_raw_data(tensor, raw) ? tensor.data : std::string_view();
    std::string entry;
    append_bytes_head(entry, kMapKey, tensor.name.size());
    entry += tensor.name;
    append_bytes_head(entry, kMapValue, head.size() + data.size());
    append_bytes_head(out, kOutputs, entry.size() + head.size() + data.size());
    out += entry;
    out += head;
    out += data;
  }
  return out;
}

}  // namespace roost
