#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace roost {

// The changes a BlobStore makes on the disk. The real ones are the system calls of the same name, with
// their results and errno; tests put FaultyFiles in their place. Thread-safe.
class StoreFiles {
 public:
  virtual ~StoreFiles() = default;
  virtual int open(const std::filesystem::path& path, int flags, unsigned mode);
  virtual ssize_t write(int fd, const void* bytes, std::size_t size);
  virtual int truncate(int fd, off_t size);  // ftruncate
  virtual int chmod(int fd, unsigned mode);  // fchmod
  virtual int sync_file(int fd);             // fdatasync
  virtual int sync_folder(const std::filesystem::path& folder);
  virtual int sync_all(const std::filesystem::path& folder);  // syncfs
  virtual int rename(const std::filesystem::path& from, const std::filesystem::path& to);
  virtual int unlink(const std::filesystem::path& path);
};

StoreFiles& real_files();

// The names in a folder, as many as can be read.
std::vector<std::string> names_in(const std::filesystem::path& folder);

// Calls `each` with the file's bytes from its beginning, at most `limit`. Returns how many there were.
Result<std::uint64_t> read_pieces(int fd, std::uint64_t limit,
                                  const std::function<Status(std::string_view)>& each);
Status write_whole(StoreFiles& files, int fd, std::string_view bytes);

}  // namespace roost
