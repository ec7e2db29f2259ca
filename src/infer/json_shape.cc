#include "infer/json_shape.h"

#include <fmt/format.h>

namespace roost {

Result<std::vector<std::int64_t>> read_shape(JsonReader& reader) {
  std::vector<std::int64_t> out;
  ROOST_CHECK(reader.list([&]() -> Status {
    ROOST_TRY(const std::int64_t part, reader.integer());
    if (part < 0) return fail(ErrorCode::kInvalidArgument, fmt::format("a shape in {} has the part {}", reader.what(), part));
    if (out.size() == kMaxRank) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("a shape in {} has more than {} parts", reader.what(), kMaxRank));
    }
    out.push_back(part);
    return {};
  }));
  return out;
}

}  // namespace roost
