#include "runner/stage_inputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/frames.h"
#include "base/text.h"
#include "domain/manifest.h"
#include "domain/names.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::uint64_t kSmall = 1 << 20;
constexpr std::size_t kBatch = 2000;

fs::path cache_path(const fs::path& cache, std::string_view digest) {
  return cache / "blobs" / digest.substr(0, 2) / digest.substr(2);
}

bool is_cached(const fs::path& cache, const ManifestEntry& entry) {
  struct stat info {};
  return ::stat(cache_path(cache, entry.digest).c_str(), &info) == 0 &&
         static_cast<std::uint64_t>(info.st_size) == entry.size;
}

// Into the cache in one step; another node may be doing the same.
Status store(const fs::path& cache, const std::string& digest, std::string_view bytes) {
  if (sha256_hex(bytes) != digest) {
    return fail(ErrorCode::kDataMismatch, fmt::format("blob {} came with other bytes", digest));
  }
  const fs::path place = cache_path(cache, digest);
  ROOST_CHECK(make_folders(place.parent_path()));
  const fs::path temporary = place.string() + ".tmp-" + random_hex(6);
  const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
  if (!fd) return fail_errno(errno, "write " + temporary.string());
  Status put = write_all(fd.get(), bytes, temporary.string());
  if (put && ::rename(temporary.c_str(), place.c_str()) != 0) {
    put = fail_errno(errno, "write " + place.string());
  }
  if (!put) ::unlink(temporary.c_str());
  return put;
}

Status fetch_large(ServerLink& server, const fs::path& cache, const ManifestEntry& entry) {
  const fs::path place = cache_path(cache, entry.digest);
  ROOST_CHECK(make_folders(place.parent_path()));
  const fs::path temporary = place.string() + ".tmp-" + random_hex(6);
  auto fetched = server.persist([&](ApiClient& api) -> Result<Json> {
    const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0444));
    if (!fd) return fail_errno(errno, "write " + temporary.string());
    Sha256 hash;
    Status put;
    ClientRequest request;
    request.target = "/blobs/" + entry.digest;
    request.on_data = [&](std::string_view piece) {
      hash.update(piece);
      put = write_all(fd.get(), piece, temporary.string());
      return put.has_value();
    };
    auto answer = api.send(std::move(request));
    if (!put) return fail(ErrorCode::kInternal, put.error().message);
    if (!answer) return fail(answer.error());
    if (hash.hex() != entry.digest) {
      return fail(ErrorCode::kUnavailable, fmt::format("blob {} came cut off", entry.digest));
    }
    return Json();
  });
  if (fetched && ::rename(temporary.c_str(), place.c_str()) == 0) return {};
  const int error = errno;
  ::unlink(temporary.c_str());
  if (!fetched) return fail(fetched.error());
  return fail_errno(error, "write " + place.string());
}

Status fetch_small(ServerLink& server, const fs::path& cache, const std::vector<std::string>& digests) {
  auto fetched = server.persist([&](ApiClient& api) -> Result<Json> {
    FrameReader reader(2 * kSmall);
    Status taken;
    const std::string body = to_text(Json{{"digests", digests}});
    ClientRequest request;
    request.method = "POST";
    request.target = "/blobs/fetch";
    request.headers["Content-Type"] = "application/json";
    request.body = body;
    request.on_data = [&](std::string_view piece) {
      taken = reader.feed(piece, [&](Frame frame) {
        return store(cache, frame.header.value("digest", ""), frame.payload);
      });
      return taken.has_value();
    };
    auto answer = api.send(std::move(request));
    if (!taken) return fail(ErrorCode::kInternal, taken.error().message);
    if (!answer) return fail(answer.error());
    if (auto whole = reader.finish(); !whole) return fail(ErrorCode::kUnavailable, whole.error().message);
    return Json();
  });
  if (!fetched) return fail(fetched.error());
  return {};
}

Result<std::string> manifest_of(ServerLink& server, const fs::path& cache, const std::string& snapshot) {
  if (auto cached = read_file(cache_path(cache, snapshot)); cached && sha256_hex(*cached) == snapshot) {
    return std::move(*cached);
  }
  ManifestEntry entry;
  entry.digest = snapshot;
  ROOST_CHECK(fetch_large(server, cache, entry));
  return read_file(cache_path(cache, snapshot));
}

// Into the cache, what it lacks of the manifest's files.
Status fetch_files(ServerLink& server, const fs::path& cache, const Manifest& manifest) {
  std::set<std::string> asked;
  std::vector<std::string> small;
  for (const auto& entry : manifest.entries) {
    if (!entry.is_file() || is_cached(cache, entry) || !asked.insert(entry.digest).second) continue;
    if (entry.size > kSmall) {
      ROOST_CHECK(fetch_large(server, cache, entry));
      continue;
    }
    small.push_back(entry.digest);
    if (small.size() == kBatch) {
      ROOST_CHECK(fetch_small(server, cache, small));
      small.clear();
    }
  }
  if (!small.empty()) ROOST_CHECK(fetch_small(server, cache, small));
  return {};
}

Status write_tree(const Manifest& manifest, const fs::path& cache, const fs::path& root) {
  ROOST_CHECK(make_folders(root));
  fs::path made;
  for (const auto& entry : manifest.entries) {
    const fs::path place = root / entry.path;
    if (place.parent_path() != made) {
      made = place.parent_path();
      ROOST_CHECK(make_folders(made));
    }
    if (entry.kind == EntryKind::kEmptyFolder) continue;  // parent_path() of "a/" is "a"
    if (entry.kind == EntryKind::kSymlink) {
      if (::symlink(entry.target.c_str(), place.c_str()) != 0) {
        return fail_errno(errno, "make the link " + place.string());
      }
      continue;
    }
    const unsigned mode = entry.kind == EntryKind::kExecutable ? 0755 : 0644;
    ROOST_CHECK(copy_file(cache_path(cache, entry.digest), place, mode));
  }
  return {};
}

}  // namespace

Status stage_snapshot(ServerLink& server, const std::string& snapshot, const fs::path& cache,
                      const fs::path& destination) {
  ROOST_TRY(const std::string text, manifest_of(server, cache, snapshot));
  ROOST_TRY(const Manifest manifest, parse_manifest(text));
  ROOST_CHECK(fetch_files(server, cache, manifest));
  return write_tree(manifest, cache, destination);
}

Status restore_outputs(ServerLink& server, const Json& outputs, const fs::path& cache, const fs::path& destination) {
  Manifest manifest;
  for (const auto& output : outputs) {
    ManifestEntry entry;
    entry.kind = EntryKind::kFile;
    entry.path = output.value("path", "");
    entry.digest = output.value("digest", "");
    entry.size = output.value("size", std::uint64_t{0});
    if (!is_digest(entry.digest) || !is_safe_relative_path(entry.path)) {
      return fail(ErrorCode::kInvalidArgument, "the order names an output that is none: " + printable(entry.path));
    }
    manifest.entries.push_back(std::move(entry));
  }
  ROOST_CHECK(fetch_files(server, cache, manifest));
  return write_tree(manifest, cache, destination);
}

}  // namespace roost
