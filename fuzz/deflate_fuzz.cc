// Compressed bodies: never more than the limit comes out; what is compressed comes back as it was.
#include <cstdint>
#include <string_view>

#include "base/base64.h"
#include "base/deflate.h"
#include "net/content_encoding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::uint64_t kLimit = 1 << 16;
  (void)roost::choose_encoding(bytes);
  for (const auto encoding : {roost::Encoding::kGzip, roost::Encoding::kDeflate}) {
    const auto out = roost::decompress(encoding, bytes, kLimit);
    if (out && out->size() > kLimit) __builtin_trap();
    const auto same = roost::decompress(encoding, roost::compress(encoding, bytes), size);
    if (!same || *same != bytes) __builtin_trap();
  }
  if (const auto decoded = roost::base64_decode(bytes)) {
    if (roost::base64_decode(roost::base64_encode(*decoded)) != decoded) __builtin_trap();
  }
  return 0;
}
