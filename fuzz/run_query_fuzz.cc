// Queries of the run table: whatever the text is, there is a query or an error that says where it is wrong.
#include <cstdint>
#include <string_view>

#include "domain/run_query.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto query = roost::parse_run_query(text);
  if (!query && query.error().message.empty()) __builtin_trap();
  return 0;
}
