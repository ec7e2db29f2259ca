// What a run prints, in pieces, with secrets in it: masked as the whole is, and nothing of a secret is left.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "runner/masked_places.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t first = bytes[0] & 31U;
  const std::size_t second = bytes[1] & 31U;
  const std::size_t piece = 1 + (bytes[2] & 15U);
  std::string_view rest = bytes.substr(3);
  roost::SecretMask secrets;
  for (const std::size_t length : {first, second}) {
    secrets.add(rest.substr(0, length));
    rest.remove_prefix(std::min(length, rest.size()));
  }
  roost::MaskedPlaces whole;
  std::size_t taken = 0;
  const std::string wanted = whole.mask(secrets, rest, 0, true, taken);
  if (taken != rest.size()) __builtin_trap();
  roost::MaskedPlaces places;
  std::string sent;
  std::size_t written = 0;
  std::size_t length = piece;
  while (written < rest.size()) {
    const std::string_view part = rest.substr(written, length);
    if (places.sent_of(written) != sent.size()) __builtin_trap();
    sent += places.mask(secrets, part, written, written + part.size() == rest.size(), taken);
    length = taken == 0 ? length + piece : piece;
    written += taken;
  }
  if (sent != wanted) __builtin_trap();
  return 0;
}
