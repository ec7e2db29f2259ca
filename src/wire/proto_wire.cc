#include "wire/proto_wire.h"

#include <fmt/format.h>

namespace roost {
namespace {

using Kind = ProtoField::Kind;

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  bool is_done() const { return at_ == bytes_.size(); }

  Result<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (is_done()) return wrong("it is cut off");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      if (shift == 63 && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    return wrong("a number has more than 64 bits");
  }

  Result<std::uint64_t> fixed(std::size_t size) {
    if (bytes_.size() - at_ < size) return wrong("it is cut off");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    at_ += size;
    return value;
  }

  Result<std::string_view> bytes() {
    ROOST_TRY(const std::uint64_t size, varint());
    if (size > bytes_.size() - at_) return wrong(fmt::format("a field has {} bytes, and {} are left", size, bytes_.size() - at_));
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

  Result<std::uint64_t> number(Kind kind) {
    if (kind == Kind::kVarint) return varint();
    return fixed(kind == Kind::kFixed32 ? 4 : 8);
  }

  tl::unexpected<Error> wrong(std::string_view why) const {
    return fail(ErrorCode::kInvalidArgument, fmt::format("the protobuf message is wrong at byte {}: {}", at_, why));
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

Status each_field(std::string_view message, const std::function<Status(const ProtoField&)>& field) {
  WireReader reader(message);
  while (!reader.is_done()) {
    ROOST_TRY(const std::uint64_t tag, reader.varint());
    ProtoField one;
    if (tag >> 3 == 0 || tag >> 32 != 0) return reader.wrong("a field has no valid number");
    one.number = static_cast<std::uint32_t>(tag >> 3);
    switch (tag & 7) {
      case 0: one.kind = Kind::kVarint; break;
      case 1: one.kind = Kind::kFixed64; break;
      case 2: one.kind = Kind::kBytes; break;
      case 5: one.kind = Kind::kFixed32; break;
      default: return reader.wrong(fmt::format("field {} is of a kind that is not used", one.number));
    }
    if (one.kind == Kind::kBytes) {
      ROOST_TRY(one.bytes, reader.bytes());
    } else {
      ROOST_TRY(one.value, reader.number(one.kind));
    }
    ROOST_CHECK(field(one));
  }
  return {};
}

Status each_number(const ProtoField& field, Kind kind, const std::function<Status(std::uint64_t)>& value) {
  if (field.kind == kind) return value(field.value);
  if (field.kind != Kind::kBytes) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("field {} of the protobuf message is of another kind than it must be", field.number));
  }
  WireReader reader(field.bytes);
  while (!reader.is_done()) {
    ROOST_TRY(const std::uint64_t one, reader.number(kind));
    ROOST_CHECK(value(one));
  }
  return {};
}

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void append_varint_field(std::string& out, std::uint32_t number, std::uint64_t value) {
  append_varint(out, static_cast<std::uint64_t>(number) << 3);
  append_varint(out, value);
}

void append_bytes_head(std::string& out, std::uint32_t number, std::uint64_t size) {
  append_varint(out, static_cast<std::uint64_t>(number) << 3 | 2);
  append_varint(out, size);
}

}  // namespace roost
