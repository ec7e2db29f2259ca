#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace roost {

enum class Encoding { kIdentity, kGzip, kDeflate };  // kDeflate is what HTTP means by it: zlib's form of RFC 1950

// What is inside. Not more than `limit` bytes are ever made: a bomb is kTooLarge; broken, cut off or followed by other bytes
// is kInvalidArgument. gzip may have several members. kDeflate takes bare RFC 1951 data too, as some clients send it.
Result<std::string> decompress(Encoding encoding, std::string_view bytes, std::uint64_t limit);

// At the speed of level 1: answers are waited for.
std::string compress(Encoding encoding, std::string_view bytes);

}  // namespace roost
