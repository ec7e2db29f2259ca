// What `roost submit --environment-file` reads: pyproject.toml and uv.lock of whoever wrote them.
#include <cstdint>
#include <string_view>

#include "cli/work/environment_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)roost::definition_of_pyproject(text, "pyproject.toml");
  (void)roost::definition_of_uv_lock(text, "uv.lock");
  return 0;
}
