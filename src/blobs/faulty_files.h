#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "base/files.h"
#include "blobs/store_files.h"

namespace roost {

// Files that fail when told to, and that forget what was not synced when the power goes, for tests. Knows
// what the disk has beside what the kernel shows: a file's bytes get there by sync_file(), a name by
// sync_folder(). As in the kernel, what a failed sync was to write is never written by a later one.
// Not thread-safe.
class FaultyFiles final : public StoreFiles {
 public:
  explicit FaultyFiles(std::filesystem::path root) : root_(std::move(root)) {}

  std::set<int> failing;  // the calls that fail, by number
  int calls = 0;

  // What is on the disk now is all there is. Of the rest, `luck` lets some through: whole, or in part.
  void lose_power(std::mt19937& luck) {
    const auto coin = [&] { return luck() % 2 == 0; };
    for (const auto& name : changed_) {
      if (coin()) settle(name);
    }
    std::map<std::filesystem::path, std::pair<std::string, unsigned>> left;
    for (const auto& [name, node] : on_disk_) {
      std::string bytes = node->synced;
      if (const auto live = live_.find(name); node->is_dirty && live != live_.end() && live->second == node) {
        const std::string now = read_file(name).value_or("");
        if (coin()) bytes = now.substr(0, luck() % (now.size() + 1));
        if (coin()) bytes.resize(now.size(), '\0');
      }
      left[name] = {std::move(bytes), node->mode};
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      if (entry.is_regular_file()) ::unlink(entry.path().c_str());
    }
    live_.clear();
    on_disk_.clear();
    open_.clear();
    changed_.clear();
    for (auto& [name, file] : left) {
      const Fd fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
      (void)write_all(fd.get(), file.first, "a file");
      ::fchmod(fd.get(), file.second);
      live_[name] = on_disk_[name] = std::make_shared<Node>(Node{std::move(file.first), false, file.second});
    }
  }

  int open(const std::filesystem::path& path, int flags, unsigned mode) override {
    if (fails(ENOSPC)) return -1;
    const bool is_new = !std::filesystem::exists(path);
    const int fd = StoreFiles::open(path, flags, mode);
    if (fd < 0) return fd;
    auto& node = live_[path];
    if (is_new || !node) {
      node = std::make_shared<Node>(Node{"", true, mode});
      changed_.insert(path);
    }
    open_[fd] = node;
    return fd;
  }

  ssize_t write(int fd, const void* bytes, std::size_t size) override {
    if (fails(ENOSPC)) {
      open_[fd]->is_dirty = true;
      if (size > 1 && StoreFiles::write(fd, bytes, size / 2) < 0) return -1;
      errno = ENOSPC;
      return -1;
    }
    open_[fd]->is_dirty = true;
    return StoreFiles::write(fd, bytes, size);
  }

  int truncate(int fd, off_t size) override {
    if (fails(EIO)) return -1;
    open_[fd]->is_dirty = true;
    return StoreFiles::truncate(fd, size);
  }

  int chmod(int fd, unsigned mode) override {
    if (fails(EIO)) return -1;
    open_[fd]->mode = mode;
    return StoreFiles::chmod(fd, mode);
  }

  int sync_file(int fd) override {
    Node& node = *open_[fd];
    if (fails(EIO)) {
      node.is_lost = true;
      return -1;
    }
    if (!node.is_lost) write_down(node, fd);
    return 0;
  }

  int sync_folder(const std::filesystem::path& folder) override {
    const bool failed = fails(EIO);
    std::set<std::filesystem::path> here;
    for (const auto& name : changed_) {
      if (name.parent_path() == folder) here.insert(name);
    }
    for (const auto& name : here) {
      changed_.erase(name);
      if (!failed) settle(name);
    }
    return failed ? -1 : 0;
  }

  int sync_all(const std::filesystem::path&) override {
    const bool failed = fails(EIO);
    for (auto& [name, node] : live_) {
      if (!node->is_dirty || node->is_lost) continue;
      if (failed) {
        node->is_lost = true;
      } else {
        const Fd fd(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
        write_down(*node, fd.get());
      }
    }
    for (const auto& name : std::exchange(changed_, {})) {
      if (!failed) settle(name);
    }
    return failed ? -1 : 0;
  }

  int rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    if (fails(EIO)) return -1;
    if (StoreFiles::rename(from, to) != 0) return -1;
    const auto found = live_.find(from);
    // A file that others made, whose bytes are in memory only.
    live_[to] = found == live_.end() ? std::make_shared<Node>(Node{"", true, 0444}) : found->second;
    live_.erase(from);
    changed_.insert({from, to});
    return 0;
  }

  int unlink(const std::filesystem::path& path) override {
    if (fails(EIO)) return -1;
    if (StoreFiles::unlink(path) != 0) return -1;
    live_.erase(path);
    changed_.insert(path);
    return 0;
  }

 private:
  struct Node {
    std::string synced;      // what the disk has
    bool is_dirty = false;   // the kernel has something else
    unsigned mode = 0;
    bool is_lost = false;    // and will not write it
  };

  bool fails(int error) {
    if (!failing.contains(++calls)) return false;
    errno = error;
    return true;
  }

  static void write_down(Node& node, int fd) {
    node.synced.clear();
    const Fd readable(::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC));
    (void)read_pieces(readable.get(), UINT64_MAX, [&](std::string_view piece) -> Status {
      node.synced += piece;
      return {};
    });
    node.is_dirty = false;
  }

  void settle(const std::filesystem::path& name) {
    if (const auto found = live_.find(name); found != live_.end()) {
      on_disk_[name] = found->second;
    } else {
      on_disk_.erase(name);
    }
  }

  const std::filesystem::path root_;
  std::map<std::filesystem::path, std::shared_ptr<Node>> live_;
  std::map<std::filesystem::path, std::shared_ptr<Node>> on_disk_;
  std::map<int, std::shared_ptr<Node>> open_;
  std::set<std::filesystem::path> changed_;  // names that the disk may not have as they are
};

}  // namespace roost
