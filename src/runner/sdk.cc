#include "runner/sdk.h"

#include "base/digest.h"
#include "base/files.h"
#include "runner/embedded_sdk.h"

namespace fs = std::filesystem;

namespace roost {

Result<fs::path> unpack_sdk(const fs::path& cache) {
  Sha256 hash;
  for (const auto& [path, text] : embedded_sdk()) {
    hash.update(path);
    hash.update(text);
  }
  const fs::path folder = cache / ("sdk-" + hash.hex().substr(0, 16));
  std::error_code error;
  if (fs::exists(folder, error)) return folder;
  const fs::path temporary = folder.string() + ".tmp-" + random_hex(6);
  for (const auto& [path, text] : embedded_sdk()) {
    ROOST_CHECK(make_folders((temporary / path).parent_path()));
    ROOST_CHECK(write_file_atomic(temporary / path, text));
  }
  fs::rename(temporary, folder, error);
  if (error) {
    // Another node was quicker.
    ROOST_CHECK(remove_tree(temporary));
    if (!fs::exists(folder)) return fail_errno(error.value(), "unpack the Python package");
  }
  return folder;
}

}  // namespace roost
