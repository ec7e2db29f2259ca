#include "cli/work/model_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "cli/work/download.h"
#include "snapshot/send_blob.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr int kRounds = 3;

tl::unexpected<Error> changed(const fs::path& file) {
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("{} changed while it was read; register it again when it is at rest",
                          file.string()));
}

class Collector {
 public:
  // `name` is its path in the model, `above` the folders it lies in.
  Status add(const fs::path& path, const std::string& name, std::vector<fs::path> above) {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) {
      std::error_code error;
      if (errno == ENOENT && fs::is_symlink(fs::symlink_status(path, error))) {
        return refuse(path, "is a symlink to nothing; remove it");
      }
      return fail_errno(errno, "read " + path.string());
    }
    if (S_ISDIR(info.st_mode)) return add_folder(path, name, std::move(above));
    if (!S_ISREG(info.st_mode)) return refuse(path, "is neither a file nor a folder");
    ROOST_TRY(std::string digest, sha256_file(path));
    struct stat after{};
    if (::stat(path.c_str(), &after) != 0 || after.st_size != info.st_size ||
        after.st_mtim.tv_sec != info.st_mtim.tv_sec ||
        after.st_mtim.tv_nsec != info.st_mtim.tv_nsec) {
      return changed(path);
    }
    const bool executable = (info.st_mode & S_IXUSR) != 0;
    found_[name] = {{name, executable ? EntryKind::kExecutable : EntryKind::kFile,
                     static_cast<std::uint64_t>(info.st_size), std::move(digest), ""},
                    path};
    return {};
  }

  ModelFiles finish() const {
    ModelFiles out;
    for (const auto& [path, one] : found_) {
      out.manifest.size += one.entry.size;
      out.manifest.entries.push_back(one.entry);
      out.files.push_back(one.file);
    }
    return out;
  }

 private:
  struct Found {
    ManifestEntry entry;
    fs::path file;
  };

  static tl::unexpected<Error> refuse(const fs::path& path, const char* reason) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{} {}", path.string(), reason));
  }

  Status add_folder(const fs::path& path, const std::string& name, std::vector<fs::path> above) {
    std::error_code error;
    above.push_back(fs::canonical(path, error));
    if (std::find(above.begin(), above.end() - 1, above.back()) != above.end() - 1) {
      return refuse(path, "is a symlink to a folder above it; remove it");
    }
    bool empty = true;
    for (auto it = fs::directory_iterator(path, error); !error && it != fs::directory_iterator();
         it.increment(error)) {
      empty = false;
      ROOST_CHECK(add(it->path(), name + "/" + it->path().filename().string(), above));
    }
    if (error) return fail_errno(error.value(), "read the folder " + path.string());
    const std::string entry = name + "/";
    if (empty) found_[entry] = {{entry, EntryKind::kEmptyFolder, 0, "", ""}, {}};
    return {};
  }

  std::map<std::string, Found> found_;  // by path, so in the order of a manifest
};

// A file to be sent, opened once it is known that the server wants it.
BlobSource source_of(const BlobWork& blob, const fs::path& file, Fd& fd) {
  BlobSource source{blob.digest, blob.size, nullptr};
  source.read = [&file, &fd](std::uint64_t offset, std::uint64_t limit) -> Result<std::string> {
    if (!fd) fd.reset(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    std::string piece(limit, '\0');
    const ssize_t got = fd ? ::pread(fd.get(), piece.data(), piece.size(), static_cast<off_t>(offset)) : -1;
    if (got < 0) return fail_errno(errno, "read " + file.string());
    piece.resize(static_cast<std::size_t>(got));
    return piece;
  };
  return source;
}

// Symlinks come last: until then there is none that a file could be written through.
Status write_symlink(const ManifestEntry& entry, const fs::path& target) {
  const std::string partial = fmt::format("{}.partial-{}", target.string(), random_hex(4));
  if (::symlink(entry.target.c_str(), partial.c_str()) == 0 &&
      ::rename(partial.c_str(), target.c_str()) == 0) {
    return {};
  }
  const Error reason = errno_error(errno, "make the symlink " + target.string());
  ::unlink(partial.c_str());
  return fail(reason);
}

}  // namespace

Result<ModelFiles> read_model_files(const fs::path& path) {
  std::error_code error;
  fs::path whole = fs::absolute(path, error).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();  // "a/" is "a"
  const std::string name = whole.filename().string();
  if (name.empty()) return fail(ErrorCode::kInvalidArgument, "name a file or folder, not /");
  Collector collector;
  ROOST_CHECK(collector.add(whole, name, {}));
  ModelFiles out = collector.finish();
  ROOST_CHECK(check_manifest(out.manifest));
  out.digest = sha256_hex(manifest_text(out.manifest));
  return out;
}

Status upload_model_files(const ModelFiles& model, const TransportFactory& factory,
                          const TransferOptions& options) {
  const std::string text = manifest_text(model.manifest);
  const auto& entries = model.manifest.entries;
  ROOST_TRY(const auto transport, factory());
  for (int round = 0; round <= kRounds; ++round) {
    SnapshotTransport::Created created;
    ROOST_TRY(created, transport->create_snapshot(text));
    if (created.missing.empty()) return {};
    std::vector<std::vector<BlobWork>> blobs;
    for (const auto& digest : created.missing) {
      const auto entry = std::find_if(entries.begin(), entries.end(),
                                      [&](const auto& one) { return one.digest == digest; });
      if (entry == entries.end()) {
        return fail(ErrorCode::kInternal, "the server asks for a file that is not in the model");
      }
      blobs.push_back({{digest, entry->size, static_cast<std::size_t>(entry - entries.begin())}});
    }
    ROOST_CHECK(run_lanes(
        blobs, factory, options,
        [&](SnapshotTransport& lane, const std::vector<BlobWork>& batch, ProgressMeter& meter) {
          const fs::path& file = model.files[batch[0].entry];
          std::uint64_t counted = 0;
          Fd fd;
          BlobSource source = source_of(batch[0], file, fd);
          source.progress = [&](std::uint64_t done) {
            meter.add(static_cast<std::int64_t>(done - counted), 0);
            counted = done;
          };
          const Status sent = with_retries(
              options, [&] { return send_blob(lane, source); }, [&] { return counted; });
          if (!sent && sent.error().code == ErrorCode::kDataMismatch) return Status(changed(file));
          return sent;
        }));
  }
  return fail(ErrorCode::kInternal, "the server still lacks files after they were sent");
}

Result<std::vector<fs::path>> download_model_files(
    ApiClient& client, const Manifest& manifest, const fs::path& folder,
    const std::function<void(std::uint64_t)>& progress) {
  std::vector<fs::path> written;
  for (const bool links : {false, true}) {
    for (const auto& entry : manifest.entries) {
      if ((entry.kind == EntryKind::kSymlink) != links) continue;
      std::string path = entry.path;
      if (entry.kind == EntryKind::kEmptyFolder) path.pop_back();
      ROOST_TRY(const fs::path target, place_below(folder, path));
      if (entry.kind == EntryKind::kEmptyFolder) {
        ROOST_CHECK(make_folders(target));
        continue;
      }
      if (links) {
        ROOST_CHECK(write_symlink(entry, target));
      } else {
        ROOST_CHECK(
            download_file(client, "/blobs/" + entry.digest, entry.digest, target, progress));
        if (entry.kind == EntryKind::kExecutable && ::chmod(target.c_str(), 0755) != 0) {
          return fail_errno(errno, "make " + target.string() + " executable");
        }
      }
      written.push_back(target);
    }
  }
  return written;
}

}  // namespace roost
