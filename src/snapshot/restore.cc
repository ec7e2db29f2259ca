#include "snapshot/restore.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

mode_t mode_of(const ManifestEntry& entry) {
  return entry.kind == EntryKind::kExecutable ? 0755 : 0644;
}

// The folder in which the tree is made, removed with all that is in it unless it was moved away.
class Workplace {
 public:
  explicit Workplace(fs::path path) : path_(std::move(path)) {}
  ~Workplace() {
    fd_.reset();
    if (made_) (void)remove_tree(path_);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  Status make() {
    if (::mkdir(path_.c_str(), 0777) != 0)
      return fail_errno(errno, "make the folder " + path_.string());
    made_ = true;
    fd_.reset(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd_) return fail_errno(errno, "open the folder " + path_.string());
    return {};
  }
  void moved_away() { made_ = false; }

  int fd() const { return fd_.get(); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  Fd fd_;
  bool made_ = false;
};

// Renames, but never over something that is there.
int rename_new(int from_folder, const char* from, int to_folder, const char* to) {
  if (::syscall(SYS_renameat2, from_folder, from, to_folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return -1;  // else the file system cannot do it in one step
  struct stat info{};
  if (::fstatat(to_folder, to, &info, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  return ::renameat(from_folder, from, to_folder, to);
}

class Restorer {
 public:
  Restorer(const Manifest& manifest, const Workplace& place, const TransferOptions& options)
      : manifest_(manifest), place_(place), options_(options) {
    for (std::size_t i = 0; i < manifest.entries.size(); ++i) {
      if (manifest.entries[i].is_file()) users_[manifest.entries[i].digest].push_back(i);
    }
  }

  std::vector<BlobWork> blobs() const {
    std::vector<BlobWork> out;
    for (const auto& [digest, users] : users_) {
      out.push_back({std::string(digest), manifest_.entries[users[0]].size, users[0]});
    }
    return out;
  }

  Status make_tree_folders() const {
    std::string_view last;
    for (const auto& entry : manifest_.entries) {
      const std::string_view folder =
          std::string_view(entry.path).substr(0, entry.path.rfind('/') + 1);
      if (folder == last) continue;
      // Sorted, so what is shared with the folder before is already there.
      const auto differ =
          std::mismatch(folder.begin(), folder.end(), last.begin(), last.end()).first;
      for (auto slash = std::find(differ, folder.end(), '/'); slash != folder.end();
           slash = std::find(slash + 1, folder.end(), '/')) {
        const std::string path(folder.begin(), slash);
        if (::mkdirat(place_.fd(), path.c_str(), 0777) != 0 && errno != EEXIST) {
          return fail_errno(errno, "make the folder " + path);
        }
      }
      last = folder;
    }
    return {};
  }

  // After all files: until then there is no symlink that anything could follow.
  Status make_symlinks() const {
    for (const auto& entry : manifest_.entries) {
      if (entry.kind != EntryKind::kSymlink) continue;
      if (::symlinkat(entry.target.c_str(), place_.fd(), entry.path.c_str()) != 0) {
        return fail_errno(errno, "make the symlink " + entry.path);
      }
    }
    return {};
  }

  Status fetch(SnapshotTransport& transport, const std::vector<BlobWork>& batch,
               ProgressMeter& meter) const {
    return batch.front().size < kSmallBlob ? fetch_together(transport, batch, meter)
                                           : fetch_alone(transport, batch.front(), meter);
  }

 private:
  tl::unexpected<Error> mismatch(const BlobWork& blob) const {
    return fail(ErrorCode::kDataMismatch,
                fmt::format("the server sent other bytes than the snapshot has for {}",
                            printable(manifest_.entries[blob.entry].path)));
  }

  Result<Fd> create(const ManifestEntry& entry) const {
    Fd fd(::openat(place_.fd(), entry.path.c_str(),
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd || ::fchmod(fd.get(), mode_of(entry)) != 0)
      return fail_errno(errno, "write " + entry.path);
    return fd;
  }

  Status fetch_together(SnapshotTransport& transport, const std::vector<BlobWork>& batch,
                        ProgressMeter& meter) const {
    std::unordered_map<std::string_view, const BlobWork*> wanted;
    for (const auto& blob : batch) wanted.emplace(blob.digest, &blob);
    const auto fetch_rest = [&]() -> Status {
      std::vector<std::string> digests;
      for (const auto& [digest, blob] : wanted) digests.emplace_back(digest);
      ROOST_CHECK(transport.fetch_blobs(
          digests, [&](const std::string& digest, std::string_view bytes) -> Status {
            const auto found = wanted.find(digest);
            if (found == wanted.end()) {
              return fail(ErrorCode::kDataMismatch,
                          "the server sent a blob that was not asked for");
            }
            const BlobWork& blob = *found->second;
            if (bytes.size() != blob.size || sha256_hex(bytes) != blob.digest)
              return mismatch(blob);
            for (const std::size_t user : users_.at(blob.digest)) {
              const auto& entry = manifest_.entries[user];
              ROOST_TRY(const Fd fd, create(entry));
              ROOST_CHECK(write_all(fd.get(), bytes, entry.path));
            }
            wanted.erase(found);
            meter.add(static_cast<std::int64_t>(blob.size), 1);
            return {};
          }));
      if (wanted.empty()) return {};
      return fail(ErrorCode::kNotFound,
                  fmt::format("the server did not send {}",
                              printable(manifest_.entries[wanted.begin()->second->entry].path)));
    };
    return with_retries(options_, fetch_rest, [&] { return batch.size() - wanted.size(); });
  }

  Status fetch_alone(SnapshotTransport& transport, const BlobWork& blob,
                     ProgressMeter& meter) const {
    const auto& users = users_.at(blob.digest);
    const auto& first = manifest_.entries[users[0]];
    {
      ROOST_TRY(const Fd fd, create(first));
      Sha256 sha256;
      std::uint64_t have = 0;
      const auto fetch_rest = [&]() -> Status {
        if (have == blob.size) return {};
        ROOST_CHECK(transport.get_blob(blob.digest, have, [&](std::string_view piece) -> Status {
          if (options_.stop.stop_requested()) {
            return fail(ErrorCode::kUnavailable, "the transfer was stopped");
          }
          if (piece.size() > blob.size - have) return mismatch(blob);
          sha256.update(piece);
          ROOST_CHECK(write_all(fd.get(), piece, first.path));
          have += piece.size();
          meter.add(static_cast<std::int64_t>(piece.size()), 0);
          return {};
        }));
        if (have == blob.size) return {};
        return fail(ErrorCode::kUnavailable, "the server's answer ended early for " + first.path);
      };
      ROOST_CHECK(with_retries(options_, fetch_rest, [&] { return have; }));
      if (sha256.hex() != blob.digest) return mismatch(blob);
    }
    for (std::size_t i = 1; i < users.size(); ++i) {
      const auto& entry = manifest_.entries[users[i]];
      ROOST_CHECK(
          copy_file(place_.path() / first.path, place_.path() / entry.path, mode_of(entry)));
    }
    meter.add(0, 1);
    return {};
  }

  const Manifest& manifest_;
  const Workplace& place_;
  const TransferOptions& options_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> users_;  // digest -> entries
};

Status fill(const Manifest& manifest, const Workplace& place, const TransportFactory& factory,
            const TransferOptions& options) {
  const Restorer restorer(manifest, place, options);
  ROOST_CHECK(restorer.make_tree_folders());
  ROOST_CHECK(run_lanes(make_batches(restorer.blobs()), factory, options,
                        [&](SnapshotTransport& lane, const std::vector<BlobWork>& batch,
                            ProgressMeter& meter) { return restorer.fetch(lane, batch, meter); }));
  return restorer.make_symlinks();
}

// Moves what is in the workplace up into `destination`, its parent; all or nothing.
Status move_up(const Workplace& place, const fs::path& destination) {
  const Fd to(::open(destination.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!to) return fail_errno(errno, "open the folder " + destination.string());
  std::error_code error;
  std::vector<std::string> names;
  for (auto it = fs::directory_iterator(place.path(), error);
       !error && it != fs::directory_iterator(); it.increment(error)) {
    names.push_back(it->path().filename());
  }
  if (error) return fail_errno(error.value(), "read the folder " + place.path().string());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (rename_new(place.fd(), names[i].c_str(), to.get(), names[i].c_str()) == 0) continue;
    const Error reason = errno_error(errno, "write " + (destination / names[i]).string());
    while (i-- > 0) (void)rename_new(to.get(), names[i].c_str(), place.fd(), names[i].c_str());
    return fail(reason);
  }
  return {};
}

}  // namespace

Result<Manifest> fetch_manifest(SnapshotTransport& transport, const std::string& digest) {
  ROOST_TRY(Manifest manifest, transport.get_snapshot(digest));
  ROOST_CHECK(check_manifest(manifest));
  if (sha256_hex(manifest_text(manifest)) != digest) {
    return fail(ErrorCode::kDataMismatch,
                fmt::format("the server sent a manifest that is not that of snapshot {}", digest));
  }
  return manifest;
}

Status restore_snapshot(const Manifest& manifest, const fs::path& destination,
                        const TransportFactory& factory, const TransferOptions& options) {
  ROOST_CHECK(check_manifest(manifest));
  std::error_code error;
  fs::path target = fs::absolute(destination, error).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  const std::string temporary = ".roost-restore-" + random_hex(8);

  struct stat info{};
  const bool exists = ::lstat(target.c_str(), &info) == 0;
  if (exists) {
    const bool empty = fs::is_directory(target, error) && fs::is_empty(target, error);
    if (!empty || error) {
      return fail(
          ErrorCode::kAlreadyExists,
          fmt::format("{} is already there and is not an empty folder; restore into a new one",
                      target.string()));
    }
    Workplace place(target / temporary);
    ROOST_CHECK(place.make());
    ROOST_CHECK(fill(manifest, place, factory, options));
    return move_up(place, target);
  }
  ROOST_CHECK(make_folders(target.parent_path()));
  Workplace place(target.parent_path() / temporary);
  ROOST_CHECK(place.make());
  ROOST_CHECK(fill(manifest, place, factory, options));
  if (rename_new(AT_FDCWD, place.path().c_str(), AT_FDCWD, target.c_str()) != 0) {
    return fail_errno(errno, "write " + target.string());
  }
  place.moved_away();
  return {};
}

}  // namespace roost
