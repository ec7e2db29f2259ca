#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "snapshot/stat_cache.h"

namespace roost {

struct HashedFile {
  std::string digest;
  FileStamp stamp;  // the file had it before and after it was read
};

// Reads files and digests them. Not thread-safe: one per thread.
class FileHasher {
 public:
  explicit FileHasher(int root);

  // A file that changes while it is read is read again, three times in all; then
  // kFailedPrecondition. kNotFound when it is not there any more. Messages are reasons ("cannot be
  // read: ...") and do not name the file.
  Result<HashedFile> hash(const std::string& path);

  // Called after a file was read and before it is looked at once more, with the number of the try.
  std::function<void(int)> after_read_for_test;

 private:
  int root_;
  Sha256 sha256_;
  std::vector<char> buffer_;
};

}  // namespace roost
