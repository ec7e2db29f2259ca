// The first line of the input is a path, the rest an ignore file. Nothing may crash, and no pattern
// may take long: libFuzzer's -timeout tells.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "snapshot/ignore_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view path = input.substr(0, std::min<std::size_t>(end, 4095));
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  const auto root = std::make_shared<roost::IgnoreScope>(nullptr, "", text);
  const bool file = roost::is_ignored(root.get(), path, false);
  roost::is_ignored(root.get(), path, true);
  // The same rules in the folder of the path decide about its name alone.
  const std::string folder(path.substr(0, path.rfind('/') + 1));
  const roost::IgnoreScope below(root, folder, text);
  roost::is_ignored(&below, path, false);
  // Rules that match nothing above do not change anything.
  const roost::IgnoreScope silent(root, folder, "# nothing\n");
  if (roost::is_ignored(&silent, path, false) != file) roost::die("a comment must not decide");
  return 0;
}
