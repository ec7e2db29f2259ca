#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace roost {

// The wire format of protobuf, as far as the messages that others send need it. Nothing is built: fields are met in their order.
struct ProtoField {
  enum class Kind { kVarint, kFixed64, kBytes, kFixed32 };
  std::uint32_t number = 0;
  Kind kind = Kind::kVarint;
  std::uint64_t value = 0;  // but for kBytes
  std::string_view bytes;   // for kBytes: views the message
};

// Calls `field` for each. kInvalidArgument for what is no message: cut off, a group, a field of number 0.
Status each_field(std::string_view message, const std::function<Status(const ProtoField&)>& field);

// Calls `value` for each number of a repeated field, be it packed or one at a time. Of kind kVarint, kFixed32 or kFixed64 as
// `kind` says the elements are.
Status each_number(const ProtoField& field, ProtoField::Kind kind, const std::function<Status(std::uint64_t)>& value);

void append_varint(std::string& out, std::uint64_t value);
void append_varint_field(std::string& out, std::uint32_t number, std::uint64_t value);
// The tag and the length; `size` bytes must follow.
void append_bytes_head(std::string& out, std::uint32_t number, std::uint64_t size);

}  // namespace roost
