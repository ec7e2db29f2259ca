// HTTP requests and their paths, cut in two anywhere: never a crash, and nothing used beyond what came.
#include <cstdint>
#include <string>
#include <string_view>

#include "net/request_parser.h"
#include "net/router.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  roost::RequestParser parser;
  std::string buffer(bytes.substr(0, bytes.size() * data[0] / 256));
  std::string_view rest = bytes.substr(buffer.size());
  std::string head;
  for (int piece = 0; piece < 2 && !parser.head_done(); ++piece) {
    const auto used = parser.put_head(buffer);
    if (!used) return 0;
    if (*used > buffer.size()) __builtin_trap();
    head.append(buffer, 0, *used);
    buffer.erase(0, *used);
    if (piece == 0) buffer += rest;
  }
  // Whoever stands before the server may read a folded line as a header of its own.
  if (head.find("\n ") != head.npos || head.find("\n\t") != head.npos) __builtin_trap();
  std::string decoded;
  (void)roost::percent_decode(parser.target, decoded);
  if (!parser.head_done() || parser.limit_body(1 << 16)) return 0;
  std::string body;
  (void)parser.put_body(buffer, body);
  return 0;
}
