#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace roost {

// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

Result<std::string> read_file(const std::filesystem::path& path);
Status write_all(int fd, std::string_view bytes, std::string_view what);

// Replaces `path` in one step: after a crash or power loss the file is the old one or the new one, whole.
Status write_file_atomic(const std::filesystem::path& path, std::string_view bytes,
                         unsigned mode = 0644);

// Makes the entries of a folder (new names, renames) survive power loss.
Status sync_folder(const std::filesystem::path& folder);

Status make_folders(const std::filesystem::path& folder);
// Removes a tree, also one with folders its owner made unwritable; a missing one is no error. Links are
// removed, never followed, also if somebody puts them there meanwhile.
Status remove_tree(const std::filesystem::path& path);

// Copies a regular file: a reflink where the file system has them, else copy_file_range.
Status copy_file(const std::filesystem::path& from, const std::filesystem::path& to, unsigned mode);

// Holds an exclusive advisory lock on a file as long as it lives. Refuses at once if another process
// holds it: kFailedPrecondition with `in_use` as the message.
Result<Fd> lock_file(const std::filesystem::path& path, const std::string& in_use);

// True for a relative path that stays below its root whatever it is joined to: no empty, "." or ".."
// parts, no NUL, no leading or trailing slash, at most 4096 bytes.
bool is_safe_relative_path(std::string_view path);

}  // namespace roost
