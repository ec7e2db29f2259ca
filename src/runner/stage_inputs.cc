#include "runner/stage_inputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <set>

#include <fmt/format.h>

#include "base/copy_file.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/open_beneath.h"
#include "base/text.h"
#include "base/tree_beneath.h"
#include "client/snapshot_transport.h"
#include "domain/manifest.h"
#include "domain/names.h"
#include "runner/cached_blob.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::uint64_t kSmall = 1 << 20;
constexpr std::size_t kBatch = 2000;

fs::path cache_path(const fs::path& cache, std::string_view digest) {
  return cache / "blobs" / digest.substr(0, 2) / digest.substr(2);
}

// One that was not used for long is marked as used, so that it is not cleaned up; being changed by that, it
// is hashed again.
bool is_cached(const fs::path& cache, const ManifestEntry& entry) {
  struct stat info {};
  const fs::path file = cache_path(cache, entry.digest);
  if (::stat(file.c_str(), &info) != 0) return false;
  if (::time(nullptr) - info.st_mtim.tv_sec > 3600) ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return is_intact(file, entry.digest, entry.size);
}

// The server knows a blob by its digest alone; people know a file by its name.
Error named(const Error& error, const ManifestEntry& entry) {
  if (error.code != ErrorCode::kNotFound) return error;
  return {error.code, fmt::format("the file {} cannot be had: {}", printable(entry.path), error.message)};
}

// Into the cache in one step; another node may be doing the same.
Status store(const fs::path& cache, const std::string& digest, std::string_view bytes) {
  if (sha256_hex(bytes) != digest) {
    return fail(ErrorCode::kDataMismatch, fmt::format("blob {} came with other bytes", digest));
  }
  const fs::path place = cache_path(cache, digest);
  ROOST_CHECK(make_folders(place.parent_path()));
  const fs::path temporary = place.string() + ".tmp-" + random_hex(6);
  const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return fail_errno(errno, "write " + temporary.string());
  Status put = write_all(fd.get(), bytes, temporary.string());
  if (put && ::fchmod(fd.get(), 0444) != 0) put = fail_errno(errno, "write " + temporary.string());
  if (put && ::rename(temporary.c_str(), place.c_str()) != 0) {
    put = fail_errno(errno, "write " + place.string());
  }
  if (!put) ::unlink(temporary.c_str());
  return put;
}

Status fetch_large(ServerLink& server, const fs::path& cache, const ManifestEntry& entry,
                   std::chrono::milliseconds patience = kStagingPatience) {
  const fs::path place = cache_path(cache, entry.digest);
  ROOST_CHECK(make_folders(place.parent_path()));
  const fs::path temporary = place.string() + ".tmp-" + random_hex(6);
  Status put;
  auto fetched = server.persist([&](ApiClient& api) -> Result<Json> {
    // It is opened again when the connection breaks, so it must be writable until it is whole.
    const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    put = fd ? Status() : Status(fail_errno(errno, "write " + temporary.string()));
    ROOST_CHECK(put);
    Sha256 hash;
    ROOST_CHECK(HttpSnapshotTransport(api).get_blob(entry.digest, 0, [&](std::string_view piece) {
      hash.update(piece);
      return put = write_all(fd.get(), piece, temporary.string());
    }));
    if (hash.hex() != entry.digest) {
      return fail(ErrorCode::kDataMismatch, fmt::format("blob {} came with other bytes", entry.digest));
    }
    if (::fchmod(fd.get(), 0444) != 0) put = fail_errno(errno, "write " + temporary.string());
    ROOST_CHECK(put);
    return Json();
  }, put, patience);
  if (fetched && ::rename(temporary.c_str(), place.c_str()) == 0) {
    note_intact(place);
    return {};
  }
  const int error = errno;
  ::unlink(temporary.c_str());
  if (!fetched) return fail(named(fetched.error(), entry));
  return fail_errno(error, "write " + place.string());
}

Status fetch_small(ServerLink& server, const fs::path& cache, const std::vector<const ManifestEntry*>& entries) {
  Status stored;
  std::vector<std::string> digests;
  for (const ManifestEntry* entry : entries) digests.push_back(entry->digest);
  const auto fetched = server.persist([&](ApiClient& api) -> Result<Json> {
    ROOST_CHECK(HttpSnapshotTransport(api).fetch_blobs(digests, [&](const std::string& digest, std::string_view bytes) {
      return stored = store(cache, digest, bytes);
    }));
    return Json();
  }, stored, kStagingPatience);
  if (fetched) return {};
  if (fetched.error().code != ErrorCode::kNotFound) return fail(fetched.error());
  // That is said of all of them; each alone tells which it is.
  for (const ManifestEntry* entry : entries) {
    ROOST_CHECK(fetch_large(server, cache, *entry, std::chrono::milliseconds(0)));
  }
  return {};
}

Result<std::string> manifest_of(ServerLink& server, const fs::path& cache, const std::string& snapshot) {
  if (!is_digest(snapshot)) {
    return fail(ErrorCode::kInvalidArgument, "the order names a snapshot that is none: " + printable(snapshot));
  }
  if (auto cached = read_file(cache_path(cache, snapshot)); cached && sha256_hex(*cached) == snapshot) {
    return std::move(*cached);
  }
  ManifestEntry entry;
  entry.path = "(the list of its files)";
  entry.digest = snapshot;
  ROOST_CHECK(fetch_large(server, cache, entry));
  return read_file(cache_path(cache, snapshot));
}

// Into the cache, what it lacks of the manifest's files.
Status fetch_files(ServerLink& server, const fs::path& cache, const Manifest& manifest) {
  std::set<std::string> asked;
  std::vector<const ManifestEntry*> small;
  for (const auto& entry : manifest.entries) {
    if (!entry.is_file() || is_cached(cache, entry) || !asked.insert(entry.digest).second) continue;
    if (entry.size > kSmall) {
      ROOST_CHECK(fetch_large(server, cache, entry));
      continue;
    }
    small.push_back(&entry);
    if (small.size() == kBatch) {
      ROOST_CHECK(fetch_small(server, cache, small));
      small.clear();
    }
  }
  if (!small.empty()) ROOST_CHECK(fetch_small(server, cache, small));
  return {};
}

// Lays a tree out below an open folder. Nothing of it is reached by a path from outside: the folder may hold links that
// lead elsewhere, made by whoever wrote another part of what is in it.
class TreeWriter {
 public:
  TreeWriter(ServerLink& server, const fs::path& cache, int root) : server_(server), cache_(cache), root_(root) {}

  Status write(const ManifestEntry& entry) {
    const std::size_t slash = entry.path.rfind('/');  // of an empty folder, "a/", its last
    ROOST_CHECK(enter(slash == std::string::npos ? "." : entry.path.substr(0, slash)));
    if (entry.kind == EntryKind::kEmptyFolder) return {};
    const std::string name = entry.path.substr(slash == std::string::npos ? 0 : slash + 1);
    if (entry.kind == EntryKind::kSymlink) {
      if (::symlinkat(entry.target.c_str(), folder_.get(), name.c_str()) == 0) return {};
      return fail_errno(errno, "make the link " + printable(entry.path));
    }
    Status copied = copy(entry, name);
    if (!copied && copied.error().code == ErrorCode::kNotFound) {  // the cache was cleaned up meanwhile
      ROOST_CHECK(fetch_large(server_, cache_, entry));
      copied = copy(entry, name);
    }
    return copied;
  }

 private:
  Status enter(const std::string& path) {
    if (folder_ && path == path_) return {};
    folder_ = make_folder_beneath(root_, path);
    path_ = path;
    if (!folder_) return fail_errno(errno, fmt::format("make the folder {}", printable(path)));
    return {};
  }

  Status copy(const ManifestEntry& entry, const std::string& name) {
    const unsigned mode = entry.kind == EntryKind::kExecutable ? 0755 : 0644;
    const Fd file = make_file_in(folder_.get(), name, mode);
    if (!file) return fail_errno(errno, "write " + printable(entry.path));
    return copy_into(cache_path(cache_, entry.digest), file.get(), printable(entry.path), mode);
  }

  ServerLink& server_;
  const fs::path& cache_;
  const int root_;
  std::string path_;
  Fd folder_;  // the last one, `path_`
};

// Whether the folder has something that keeps a file from being at the path.
bool is_in_the_way(int folder, const std::string& path) {
  if (const Fd there = open_beneath(folder, path, O_PATH | O_DIRECTORY)) return true;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return false;
  const Fd above = open_beneath(folder, path.substr(0, slash), O_PATH | O_DIRECTORY);
  return !above && (errno == ELOOP || errno == ENOTDIR);
}

}  // namespace

Status stage_snapshot(ServerLink& server, const std::string& snapshot, const fs::path& cache, int folder) {
  ROOST_TRY(const std::string text, manifest_of(server, cache, snapshot));
  ROOST_TRY(const Manifest manifest, parse_manifest(text));
  ROOST_CHECK(fetch_files(server, cache, manifest));
  TreeWriter writer(server, cache, folder);
  for (const auto& entry : manifest.entries) ROOST_CHECK(writer.write(entry));
  return {};
}

Status restore_outputs(ServerLink& server, const Json& outputs, const fs::path& cache, int folder, Notices& notices) {
  Manifest manifest;
  for (const auto& output : outputs) {
    ManifestEntry entry;
    entry.kind = EntryKind::kFile;
    entry.path = text_at(output, "path");
    entry.digest = text_at(output, "digest");
    entry.size = size_at(output, "size");
    if (!is_digest(entry.digest) || !is_safe_relative_path(entry.path)) {
      return fail(ErrorCode::kInvalidArgument, "the order names an output that is none: " + printable(entry.path));
    }
    manifest.entries.push_back(std::move(entry));
  }
  ROOST_CHECK(fetch_files(server, cache, manifest));
  TreeWriter writer(server, cache, folder);
  for (const auto& entry : manifest.entries) {
    const Status written = writer.write(entry);
    if (written || !is_in_the_way(folder, entry.path)) {
      ROOST_CHECK(written);
      continue;
    }
    notices.add(entry.path, "was not put back for the new attempt: the snapshot has something else in its place, or a "
                            "link on the way to it");
  }
  return {};
}

}  // namespace roost
