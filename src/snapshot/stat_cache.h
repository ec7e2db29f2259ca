#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "base/result.h"

namespace roost {

// What stat(2) tells of a file or folder. As long as all of it stays the same so do the bytes of
// the file, or the names in the folder, provided they were read later than the times say.
struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t mtime = 0;  // nanoseconds
  std::int64_t ctime = 0;
  std::uint64_t inode = 0;
  std::uint64_t device = 0;
  std::uint64_t mode = 0;

  bool operator==(const FileStamp&) const = default;
};
FileStamp stamp_of(const struct stat& info);

// The clock that stamps files, in nanoseconds.
std::int64_t file_clock();

// A hash of the ignore rules that stand in a folder; all zeros if it has none.
using RulesHash = std::array<unsigned char, 16>;
RulesHash hash_rules(std::string_view text);

// How one source folder was when it was last scanned: a record for every folder, file and symlink
// that belonged to the snapshot, in the order of a walk; the digest of a file; the names in a
// folder. It only saves work: a missing, damaged or foreign file is an empty cache. Read-only, so
// any thread may ask.
class StatCache {
 public:
  struct Record {
    FileStamp stamp;  // all but the mode is 0 if the entry may have changed unseen
    std::uint32_t name_at = 0;
    std::uint32_t name_size = 0;
    std::uint32_t extra =
        0;  // of a folder: how many records lie in it; of a symlink: size of its target
    std::uint32_t unused = 0;
    unsigned char digest[32] = {};  // of a file; of a folder its RulesHash

    bool is_folder() const { return S_ISDIR(stamp.mode); }
    bool is_symlink() const { return S_ISLNK(stamp.mode); }
    RulesHash rules() const;
    std::string hex_digest() const;
  };

  StatCache() = default;
  static StatCache read(const std::filesystem::path& file);

  // Record 0 is the root. What lies in folder f begins at f + 1 and ends before end_of(f); within,
  // next() goes from one to the next and steps over what lies deeper.
  std::size_t count() const { return count_; }
  Record record(std::size_t index) const;
  std::size_t end_of(std::size_t folder) const { return next(folder); }
  std::size_t next(std::size_t index) const;
  // Both end in a NUL, which is not counted.
  std::string_view name(const Record& record) const;
  std::string_view target(const Record& symlink) const;

  bool uses_amlignore() const { return amlignore_; }
  // The snapshot that the whole tree made then; "" if it made none.
  const std::string& snapshot() const { return snapshot_; }
  const std::string& bytes() const { return bytes_; }  // of the file

 private:
  bool load(std::string bytes);

  std::string bytes_;
  std::size_t count_ = 0;
  std::size_t names_at_ = 0;
  bool amlignore_ = false;
  std::string snapshot_;
};

// Makes a new cache, record by record in the order of a walk.
class StatCacheWriter {
 public:
  // `scan_start` is file_clock() before the first file was read. What changed at that time or later
  // may change again and keep its time stamp, so its stamp is not kept.
  explicit StatCacheWriter(std::int64_t scan_start) : scan_start_(scan_start) {}

  // What is added up to end_folder() lies in it. `complete` says that all that was in the folder
  // and not ignored has been added; if not, its names are not believed next time.
  std::size_t begin_folder(std::string_view name, const FileStamp& stamp, const RulesHash& rules);
  void end_folder(std::size_t folder, bool complete);
  void add_file(std::string_view name, const FileStamp& stamp, std::string_view digest);
  void add_symlink(std::string_view name, std::string_view target);

  // The content of the file. `snapshot` is a digest or "".
  std::string finish(bool amlignore, std::string_view snapshot);

 private:
  StatCache::Record make(std::string_view name, const FileStamp& stamp);

  std::int64_t scan_start_;
  std::string records_;
  std::string names_;
};

// Replaces the cache file in one step; whoever reads or writes it at the same time sees a whole
// one.
Status write_stat_cache(const std::filesystem::path& file, std::string_view bytes);

// Where the cache of `root` (absolute) lies: <cache_folder>/stat/<hash of the path>.
std::filesystem::path stat_cache_file(const std::filesystem::path& cache_folder,
                                      const std::filesystem::path& root);

}  // namespace roost
