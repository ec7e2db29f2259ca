// Lines of spool files: the quick way for plain scalars and the general way must agree.
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/spool_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  roost::SpoolRecord quick;
  if (!roost::parse_spool_line(line, quick)) return 0;
  // A blank after the bracket keeps the meaning and shuts the quick way out.
  if (line.empty() || line.front() != '[') return 0;
  const std::string spaced = "[ " + std::string(line.substr(1));
  roost::SpoolRecord general;
  if (!roost::parse_spool_line(spaced, general)) __builtin_trap();
  if (quick.kind != general.kind || quick.name != general.name || quick.step != general.step ||
      quick.at != general.at || quick.is_number != general.is_number) {
    __builtin_trap();
  }
  if (quick.is_number && quick.number != general.number && quick.number == quick.number) __builtin_trap();
  return 0;
}
