#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "wire/half.h"
#include "wire/proto_wire.h"
#include "tensorboard/event.h"

namespace roost {
namespace {

using Kind = ProtoField::Kind;

// TensorFlow's numbers for types.
enum Type : std::uint64_t {
  kFloat = 1, kDouble = 2, kInt32 = 3, kUint8 = 4, kInt16 = 5, kInt8 = 6, kString = 7, kInt64 = 9, kBool = 10,
  kBfloat16 = 14, kUint16 = 17, kHalf = 19, kUint32 = 22, kUint64 = 23,
};

template <class Number>
double number_of(const char* bytes) {
  Number number{};
  std::memcpy(&number, bytes, sizeof number);
  return static_cast<double>(number);
}

std::uint16_t short_of(const char* bytes) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

struct Reader {
  std::size_t size;
  double (*read)(const char*);
};

Reader reader_of(std::uint64_t type) {
  switch (type) {
    case kFloat: return {4, number_of<float>};
    case kDouble: return {8, number_of<double>};
    case kInt32: return {4, number_of<std::int32_t>};
    case kUint8: return {1, number_of<std::uint8_t>};
    case kInt16: return {2, number_of<std::int16_t>};
    case kInt8: return {1, number_of<std::int8_t>};
    case kInt64: return {8, number_of<std::int64_t>};
    case kBool: return {1, number_of<std::uint8_t>};
    case kBfloat16: return {2, [](const char* bytes) -> double { return bfloat_to_float(short_of(bytes)); }};
    case kUint16: return {2, number_of<std::uint16_t>};
    case kHalf: return {2, [](const char* bytes) -> double { return half_to_float(short_of(bytes)); }};
    case kUint32: return {4, number_of<std::uint32_t>};
    case kUint64: return {8, number_of<std::uint64_t>};
    default: return {0, nullptr};
  }
}

Status too_many(std::size_t most) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("a tensor has more than {} elements", most));
}

Status parse_shape(std::string_view message, std::vector<std::int64_t>& shape) {
  return each_field(message, [&](const ProtoField& field) -> Status {
    if (field.number != 2 || field.kind != Kind::kBytes) return {};
    std::int64_t size = 0;
    ROOST_CHECK(each_field(field.bytes, [&](const ProtoField& part) -> Status {
      if (part.number == 1 && part.kind == Kind::kVarint) size = static_cast<std::int64_t>(part.value);
      return {};
    }));
    shape.push_back(size);
    if (shape.size() > 32) return fail(ErrorCode::kInvalidArgument, "a tensor has more than 32 dimensions");
    return {};
  });
}

// One element stands for all that are equal to the last.
Status repeat_last(EventTensor& tensor, std::size_t most) {
  if (tensor.numbers.empty()) return {};
  std::size_t count = 1;
  for (const std::int64_t size : tensor.shape) {
    if (size < 0 || (size > 0 && count > most / static_cast<std::size_t>(size))) return too_many(most);
    count *= static_cast<std::size_t>(size);
  }
  if (tensor.numbers.size() < count) tensor.numbers.resize(count, tensor.numbers.back());
  return {};
}

}  // namespace

Result<EventTensor> parse_tensor(std::string_view message, std::size_t most) {
  EventTensor tensor;
  std::uint64_t type = 0;
  std::string_view content;
  const auto add = [&](double number) -> Status {
    if (tensor.numbers.size() == most) return too_many(most);
    tensor.numbers.push_back(number);
    return {};
  };
  ROOST_CHECK(each_field(message, [&](const ProtoField& field) -> Status {
    switch (field.number) {
      case 1:
        if (field.kind == Kind::kVarint) type = field.value;
        return {};
      case 2: return field.kind == Kind::kBytes ? parse_shape(field.bytes, tensor.shape) : Status();
      case 4:
        if (field.kind == Kind::kBytes) content = field.bytes;
        return {};
      case 5: return each_number(field, Kind::kFixed32, [&](std::uint64_t bits) {
        return add(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      });
      case 6: return each_number(field, Kind::kFixed64, [&](std::uint64_t bits) { return add(std::bit_cast<double>(bits)); });
      case 7: return each_number(field, Kind::kVarint, [&](std::uint64_t bits) {
        return add(static_cast<double>(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits))));
      });
      case 8:
        if (field.kind != Kind::kBytes) return {};
        if (tensor.strings.size() == most) return too_many(most);
        tensor.strings.push_back(field.bytes);
        return {};
      case 10: return each_number(field, Kind::kVarint, [&](std::uint64_t bits) {
        return add(static_cast<double>(static_cast<std::int64_t>(bits)));
      });
      case 11:
      case 16:
      case 17: return each_number(field, Kind::kVarint, [&](std::uint64_t bits) { return add(static_cast<double>(bits)); });
      // Types of 16 bits have their bits in a field of integers.
      case 13: return each_number(field, Kind::kVarint, [&](std::uint64_t bits) {
        const auto low = static_cast<std::uint16_t>(bits);
        return add(type == kBfloat16 ? bfloat_to_float(low) : half_to_float(low));
      });
      default: return {};
    }
  }));
  if (const Reader reader = reader_of(type); reader.read && !content.empty()) {
    if (content.size() / reader.size > most) return fail(too_many(most).error());
    tensor.numbers.clear();
    for (std::size_t at = 0; at + reader.size <= content.size(); at += reader.size) {
      tensor.numbers.push_back(reader.read(content.data() + at));
    }
  }
  ROOST_CHECK(repeat_last(tensor, most));
  return tensor;
}

}  // namespace roost
