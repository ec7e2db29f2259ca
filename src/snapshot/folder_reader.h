#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "domain/manifest.h"
#include "snapshot/ignore_rules.h"
#include "snapshot/stat_cache.h"

namespace roost {

// An entry that a snapshot cannot hold, and why ("is a socket").
struct Refusal {
  std::string path;
  std::string reason;
};

// One folder of a tree. The first group is set by whoever wants it listed, the rest by listing it.
struct WalkedFolder {
  struct Child {
    std::size_t before = 0;  // index of the entry it sorts before
    std::unique_ptr<WalkedFolder> folder;
  };

  std::string path;                   // "" or "a/b/"
  IgnoreScope::Ptr scope;             // of the folder above; then with this folder's own rules
  std::optional<std::size_t> cached;  // its record
  bool same_rules = false;            // the rules above are those of the cache; then these here too

  FileStamp stamp;
  RulesHash rules{};
  std::vector<ManifestEntry> entries;  // ascending; a digest is empty where the cache had none
  std::vector<FileStamp> stamps;       // of the entries
  std::vector<Child> children;         // ascending, not yet listed
  std::vector<Refusal> refusals;
  bool from_cache = false;  // its names were not read from disk
  bool gone = false;
};

// Lists folders below `root`, one at a time; each thread has its own. Never follows a symlink. What
// disappears meanwhile is left out.
class FolderReader {
 public:
  // The names of a cached folder are believed only where `device` says so: on the file system whose
  // folders are known to get a new time stamp with every change; 0 for nowhere.
  FolderReader(int root, const StatCache& cache, std::uint64_t device, std::string_view ignore_name)
      : root_(root), cache_(cache), device_(device), ignore_name_(ignore_name) {}

  void list(WalkedFolder& folder);
  // Which ignore files count. Known when the root has been listed.
  std::string_view ignore_name() const { return ignore_name_; }

 private:
  struct Name {
    const char* text = nullptr;  // ended by a NUL
    std::uint32_t size = 0;
    unsigned char type = 0;  // DT_...

    std::string_view view() const { return {text, size}; }
    bool operator<(const Name& other) const;
  };

  bool list_cached(WalkedFolder& folder, const StatCache::Record& record, int fd);
  void list_disk(WalkedFolder& folder, int fd);
  void read_names(WalkedFolder& folder, int fd);
  void grow_listing(std::size_t used);
  void choose_ignore_name(WalkedFolder& root);
  void read_rules(WalkedFolder& folder, int fd);
  bool wanted(WalkedFolder& folder, Name& name, int fd);
  bool look(WalkedFolder& folder, const Name& name, int fd, struct stat& info);
  Name cached_name(const StatCache::Record& record) const;
  void add_child(WalkedFolder& folder, std::string_view name, std::optional<std::size_t> cached);
  void add_file(WalkedFolder& folder, std::string_view name, const struct stat& info,
                const StatCache::Record* before);
  void add_symlink(WalkedFolder& folder, const Name& name, int fd);

  int root_;
  const StatCache& cache_;
  std::uint64_t device_;
  std::string_view ignore_name_;
  std::vector<char> listing_;  // what getdents64 gave; names_ point into it
  std::vector<Name> names_;
  std::string path_;
};

}  // namespace roost
