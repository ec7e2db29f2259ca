#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "infer/json_reader.h"
#include "infer/tensor.h"

namespace roost {

// What nested lists hold. Of an empty list the parts behind it are not known: [[], []] is [2,0].
struct JsonValues {
  std::vector<std::int64_t> shape;  // empty for a value that is in no list
  std::uint64_t count = 0;
  std::string_view data;  // as Tensor has it
  std::vector<std::string> strings;
  std::shared_ptr<const void> owner;
};

// Reads numbers, booleans or strings in lists of any depth straight into the bytes of a tensor. Errors name `name`
// ("input 'x'"), the place and the text: "input 'x': [1][3] is 300, which UINT8 cannot hold", "... the list at [1] has 3
// elements, where the others have 4". `expected` is how many elements will come, as far as one knows; never trusted.
// - whole numbers may be written 3.0; booleans also 0 and 1;
// - FP32 and FP64: NaN, Infinity, -Infinity, bare or as strings. A number too large for the type is refused. FP16 and BF16
//   are rounded, as a half has no spelling of its own.
Result<JsonValues> read_values(JsonReader& reader, DataType type, const std::string& name, std::uint64_t expected);

// At most so many strings in one tensor: each takes 32 bytes at least, however short it was in the request.
inline constexpr std::uint64_t kMaxStrings = 4 << 20;

}  // namespace roost
