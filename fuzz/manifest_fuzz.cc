// Whatever parse_manifest() takes must be canonical: written again it is the same text, and its
// entries survive the way through JSON.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/files.h"
#include "domain/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto manifest = roost::parse_manifest(text);
  if (!manifest) {
    if (manifest.error().message.empty()) roost::die("a refusal must give a reason");
    return 0;
  }
  if (roost::manifest_text(*manifest) != text) roost::die("a parsed manifest must be canonical");
  for (const auto& entry : manifest->entries) {
    std::string_view path = entry.path;
    if (entry.kind == roost::EntryKind::kEmptyFolder) path.remove_suffix(1);
    if (!roost::is_safe_relative_path(path)) roost::die("a parsed path must stay in its tree");
  }
  const auto again = roost::manifest_from_entries(roost::entries_json(*manifest));
  if (!again || *again != *manifest) roost::die("entries must survive JSON");
  return 0;
}
