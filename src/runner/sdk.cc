#include "runner/sdk.h"

#include <chrono>
#include <set>

#include "base/digest.h"
#include "base/files.h"
#include "base/log.h"
#include "base/subprocess.h"
#include "runner/embedded_sdk.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr auto kCompileLimit = std::chrono::minutes(2);

// True if every file is as this program has it and there is no other: every run starts with them.
bool is_whole(const fs::path& folder) {
  std::set<fs::path> known;
  for (const auto& [path, text] : embedded_sdk()) {
    if (read_file(folder / path).value_or("") != text) return false;
    known.insert(folder / path);
  }
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(folder, error); !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    if (it->path().filename() == "__pycache__") {
      it.disable_recursion_pending();
    } else if (!it->is_directory(error) && !known.contains(it->path())) {
      return false;
    }
  }
  return !error;
}

}  // namespace

Result<fs::path> unpack_sdk(const fs::path& cache) {
  Sha256 hash;
  for (const auto& [path, text] : embedded_sdk()) {
    hash.update(path);
    hash.update(text);
  }
  const fs::path folder = cache / ("sdk-" + hash.hex().substr(0, 16));
  std::error_code error;
  if (is_whole(folder)) return folder;
  // Somebody changed it: a run that starts with it now keeps the old files open, others get the new ones.
  if (fs::exists(folder, error)) ROOST_CHECK(remove_tree(folder));
  const fs::path temporary = folder.string() + ".tmp-" + random_hex(6);
  for (const auto& [path, text] : embedded_sdk()) {
    ROOST_CHECK(make_folders((temporary / path).parent_path()));
    ROOST_CHECK(write_file_atomic(temporary / path, text));
    if (!text.starts_with("#!")) continue;
    fs::permissions(temporary / path, fs::perms(0755), error);
    if (error) return fail_errno(error.value(), "unpack the Python package");
  }
  fs::rename(temporary, folder, error);
  if (error) {
    // Another node was quicker.
    ROOST_CHECK(remove_tree(temporary));
    if (!fs::exists(folder)) return fail_errno(error.value(), "unpack the Python package");
  }
  return folder;
}

void compile_sdk(const fs::path& folder, const std::atomic<bool>& stop) {
  std::error_code error;
  if (fs::exists(folder / "roost" / "__pycache__", error)) return;
  // Isolated: nothing of a user's own Python settings is loaded. Good for as long as the folder is, whose name is its digest.
  const auto done = run_command({"nice", "python3", "-I", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash",
                                 folder.string()},
                                "", {}, kCompileLimit, &stop);
  if (done && done->exit_code != 0) log_debug("no bytecode for the Python package: {}", done->errors);
}

}  // namespace roost
