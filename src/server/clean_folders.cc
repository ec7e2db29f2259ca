#include "server/clean_folders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "blobs/store_files.h"
#include "records/compute_records.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

// A node's folder is made before its process.
constexpr Micros kLeastAge = 60 * kSecond;

class Cleaner {
 public:
  Cleaner(const GarbageParts& parts, Micros oldest) : parts_(parts), oldest_(oldest) {}

  void clean_cache(const fs::path& blobs) {
    for (const auto& shard : names_in(blobs)) {
      for (const auto& name : names_in(blobs / shard)) remove_file(blobs / shard / name);
    }
  }

  void clean_packs(const fs::path& environments) {
    for (const auto& name : names_in(environments)) {
      if (name.find(".pack.tar") != std::string::npos) remove_file(environments / name);
    }
  }

  void clean_nodes(const fs::path& nodes) {
    std::vector<fs::path> old;
    for (const auto& name : names_in(nodes)) {
      if (name != "cache" && name != "shared" && is_old(nodes / name)) old.push_back(nodes / name);
    }
    std::set<std::string> known;
    const Status read = parts_.db.read([&](Tx& tx) -> Status {
      ROOST_TRY(const auto all, list_nodes(tx));
      for (const auto& node : all) known.insert(node.id);
      return {};
    });
    if (!read) return;
    for (const auto& folder : old) {
      if (known.contains(folder.filename()) || is_used(folder)) continue;
      if (const Status removed = remove_tree(folder); removed) {
        ++cleaned.nodes;
      } else {
        log_warning("{}", removed.error().message);
      }
    }
  }

  CleanedFolders cleaned;

 private:
  bool is_old(const fs::path& path) const {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 && info.st_mtim.tv_sec * kSecond < oldest_;
  }

  void remove_file(const fs::path& file) {
    struct stat info {};
    if (!is_old(file) || ::lstat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
    if (::unlink(file.c_str()) != 0) return;
    ++cleaned.files;
    cleaned.bytes += static_cast<std::uint64_t>(info.st_size);
  }

  // A runner, or what started it elsewhere, has its folder among its arguments.
  static bool is_used(const fs::path& folder) {
    for (const auto& pid : names_in("/proc")) {
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      const auto words = read_file(fs::path("/proc") / pid / "cmdline");
      if (words && words->find(folder.string()) != std::string::npos) return true;
    }
    return false;
  }

  const GarbageParts& parts_;
  const Micros oldest_;
};

}  // namespace

CleanedFolders clean_folders(const GarbageParts& parts, Micros grace) {
  const Micros lease = std::chrono::microseconds(parts.blobs.lease()).count();
  Cleaner cleaner(parts, parts.clock.now() - std::max({grace, lease, kLeastAge}));
  const fs::path& data = parts.data;
  cleaner.clean_cache(data / "nodes" / "cache" / "blobs");
  cleaner.clean_packs(data / "environments");
  cleaner.clean_nodes(data / "nodes");
  return cleaner.cleaned;
}

}  // namespace roost
