#include "runner/leftovers.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string>
#include <vector>

#include "base/log.h"
#include "domain/compute.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::time_t kMinute = 60;
constexpr std::time_t kHour = 60 * kMinute;
constexpr std::time_t kWeek = 7 * 24 * kHour;
constexpr std::uint64_t kMostCache = 100ULL << 30;

struct Used {
  fs::path path;
  std::time_t last = 0;
  std::uint64_t bytes = 0;
};

// Seconds since anybody read or wrote it; none for what is not there.
std::time_t unused_for(const fs::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return 0;
  return std::time(nullptr) - std::max({info.st_atime, info.st_mtime, info.st_ctime});
}

// Seconds since it was made, for what nobody writes to afterwards.
std::time_t age_of(const fs::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? std::time(nullptr) - info.st_mtime : 0;
}

void discard(const fs::path& path) {
  if (const Status removed = remove_tree(path); !removed) log_warning("{}", removed.error().message);
}

// The lock, if nobody has it.
Fd lock_if_free(const fs::path& file) {
  Fd fd(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) fd.reset();
  return fd;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) all.push_back(entry.path());
  return all;
}

// True if another runner is at work.
bool remove_nodes(const fs::path& nodes, const fs::path& own) {
  bool others = false;
  for (const auto& folder : entries_of(nodes)) {
    const std::string name = folder.filename();
    if (name == "cache" || name == "shared" || folder == own) continue;
    const fs::path lock = folder / "lock";
    const Fd free = lock_if_free(lock);
    std::error_code error;
    // A runner that begins makes the file, then locks it.
    const bool is_new = age_of(fs::exists(lock, error) ? lock : folder) < kMinute;
    if (is_new || (!free && fs::exists(lock, error))) {
      others = true;
    } else {
      discard(folder);
    }
  }
  return others;
}

std::uint64_t size_of(const fs::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return 0;
  std::uint64_t bytes = static_cast<std::uint64_t>(info.st_blocks) * 512;
  if (!S_ISDIR(info.st_mode)) return bytes;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(path, error); !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    if (::lstat(it->path().c_str(), &info) == 0) bytes += static_cast<std::uint64_t>(info.st_blocks) * 512;
  }
  return bytes;
}

}  // namespace

void shrink_cache(const fs::path& cache, std::uint64_t most_bytes) {
  std::vector<Used> all;
  std::uint64_t total = 0;
  const auto add = [&](const fs::path& path, const fs::path& used) {
    all.push_back({path, unused_for(used), size_of(path)});
    total += all.back().bytes;
  };
  for (const auto& shard : entries_of(cache / "blobs")) {
    for (const auto& blob : entries_of(shard)) {
      if (blob.extension() != ".checked") add(blob, blob);
    }
  }
  for (const auto& environment : entries_of(cache / "environments")) {
    if (environment.extension() == ".lock") continue;
    add(environment, environment.string() + ".lock");
  }
  std::sort(all.begin(), all.end(), [](const Used& a, const Used& b) { return a.last > b.last; });
  for (const auto& one : all) {
    if (total <= most_bytes) return;
    // What was used just now may be about to be copied.
    if (one.last < kHour) return;
    const bool is_environment = one.path.parent_path().filename() == "environments";
    const Fd free = is_environment ? lock_if_free(one.path.string() + ".lock") : Fd();
    if (is_environment && !free) continue;
    discard(one.path);
    if (!is_environment) ::unlink((one.path.string() + ".checked").c_str());
    total -= one.bytes;
  }
}

// The file gets its name when it is locked: whoever finds it unlocked may be sure that the runner is gone.
Result<Fd> hold_node_folder(const fs::path& folder) {
  ROOST_CHECK(make_folders(folder));
  const fs::path file = folder / kRunnerLock;
  if (::access(file.c_str(), F_OK) == 0 && !lock_if_free(file)) {
    return fail(ErrorCode::kFailedPrecondition, "another runner is at work in " + folder.string());
  }
  const fs::path fresh = file.string() + ".new";
  Fd fd(::open(fresh.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd || ::flock(fd.get(), LOCK_EX) != 0 || ::rename(fresh.c_str(), file.c_str()) != 0) {
    return fail_errno(errno, "lock " + file.string());
  }
  return fd;
}

void remove_leftovers(const fs::path& folder, const fs::path& node, const fs::path& program) {
  const bool others = remove_nodes(folder / "nodes", node);
  // Folders that the nodes of a run share, and the ports they hold.
  if (!others) discard(folder / "nodes" / "shared");
  for (const auto& file : entries_of(folder)) {
    if (file.extension() == ".pem" && unused_for(file) > kHour) discard(file);
  }
  std::error_code error;
  for (const auto& file : entries_of(folder / "bin")) {
    if (fs::equivalent(file, program, error)) continue;
    const bool is_part = !file.extension().empty();
    if (unused_for(file) > (is_part ? kHour : kWeek)) discard(file);
  }
}

std::uint64_t cache_bound(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return error ? kMostCache : std::min<std::uint64_t>(kMostCache, space.capacity / 10);
}

}  // namespace roost
