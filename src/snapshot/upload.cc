#include "snapshot/upload.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/frames.h"
#include "base/text.h"
#include "base/open_beneath.h"
#include "snapshot/send_blob.h"

namespace roost {
namespace {

constexpr int kRounds = 3;

class Uploader {
 public:
  Uploader(const ScannedTree& tree, int root, const TransferOptions& options)
      : tree_(tree), root_(root), options_(options) {}

  Status send(SnapshotTransport& transport, const std::vector<BlobWork>& batch,
              ProgressMeter& meter) const {
    return batch.front().size < kSmallBlob ? send_together(transport, batch, meter)
                                           : send_alone(transport, batch.front(), meter);
  }

 private:
  const ManifestEntry& entry_of(const BlobWork& blob) const {
    return tree_.manifest.entries[blob.entry];
  }

  tl::unexpected<Error> changed(const BlobWork& blob) const {
    return fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("{} changed while the snapshot was taken; submit again when it is at rest",
                    tree_.path_of(entry_of(blob)).string()));
  }

  // An open file that still has the size it was scanned with.
  Result<Fd> open(const BlobWork& blob) const {
    Fd fd = open_beneath(root_, entry_of(blob).path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    struct stat info{};
    if (!fd && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) return changed(blob);
    if (!fd || ::fstat(fd.get(), &info) != 0) {
      return fail_errno(errno, "read " + tree_.path_of(entry_of(blob)).string());
    }
    if (!S_ISREG(info.st_mode) || static_cast<std::uint64_t>(info.st_size) != blob.size) {
      return changed(blob);
    }
    return fd;
  }

  // Up to `limit` bytes from the file, fewer only at its end.
  Result<std::string> read(const BlobWork& blob, int fd, std::uint64_t offset, std::uint64_t limit) const {
    std::string out(limit, '\0');
    std::size_t have = 0;
    while (have < out.size()) {
      const ssize_t got = ::pread(fd, out.data() + have, out.size() - have, static_cast<off_t>(offset + have));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail_errno(errno, "read " + tree_.path_of(entry_of(blob)).string());
      if (got == 0) break;
      have += static_cast<std::size_t>(got);
    }
    out.resize(have);
    return out;
  }

  Status send_together(SnapshotTransport& transport, const std::vector<BlobWork>& batch,
                       ProgressMeter& meter) const {
    std::string body;
    std::int64_t bytes = 0;
    for (const auto& blob : batch) {
      ROOST_TRY(const Fd fd, open(blob));
      ROOST_TRY(const std::string content, read(blob, fd.get(), 0, blob.size));
      if (sha256_hex(content) != blob.digest) return changed(blob);
      append_frame(body, {{"digest", blob.digest}}, content);
      bytes += static_cast<std::int64_t>(content.size());
    }
    ROOST_CHECK(with_retries(
        options_, [&] { return transport.put_blobs(body); }, [] { return std::uint64_t{0}; }));
    meter.add(bytes, batch.size());
    return {};
  }

  Status send_alone(SnapshotTransport& transport, const BlobWork& blob,
                    ProgressMeter& meter) const {
    std::uint64_t counted = 0;  // what the meter has of this blob
    Fd fd;
    BlobSource source{blob.digest, blob.size, nullptr};
    source.progress = [&](std::uint64_t done) {
      meter.add(static_cast<std::int64_t>(done - counted), 0);
      counted = done;
    };
    source.read = [&](std::uint64_t offset, std::uint64_t limit) -> Result<std::string> {
      if (options_.stop.stop_requested()) {
        return fail(ErrorCode::kUnavailable, "the transfer was stopped");
      }
      if (!fd) {
        ROOST_TRY(fd, open(blob));
      }
      return read(blob, fd.get(), offset, limit);
    };
    const Status sent = with_retries(
        options_, [&] { return send_blob(transport, source); }, [&] { return counted; });
    if (!sent && sent.error().code == ErrorCode::kDataMismatch) return changed(blob);
    if (sent) meter.add(0, 1);
    return sent;
  }

  const ScannedTree& tree_;
  int root_;
  const TransferOptions& options_;
};

// The missing blobs with a file of the tree that has each.
Result<std::vector<BlobWork>> find_files(const Manifest& manifest,
                                         const std::vector<std::string>& missing) {
  std::unordered_map<std::string_view, std::size_t> by_digest;
  for (std::size_t i = 0; i < manifest.entries.size(); ++i) {
    if (manifest.entries[i].is_file()) by_digest.try_emplace(manifest.entries[i].digest, i);
  }
  std::vector<BlobWork> out;
  for (const auto& digest : missing) {
    const auto found = by_digest.extract(digest);
    if (found.empty()) {
      return fail(
          ErrorCode::kInternal,
          fmt::format("the server asks for {}, which is not in the snapshot or was asked for twice",
                      printable(digest)));
    }
    const auto& entry = manifest.entries[found.mapped()];
    out.push_back({entry.digest, entry.size, found.mapped()});
  }
  return out;
}

}  // namespace

Result<UploadedSnapshot> upload_snapshot(const ScannedTree& tree, const TransportFactory& factory,
                                         const TransferOptions& options) {
  UploadedSnapshot out;
  out.digest = tree.digest;
  const std::string text = manifest_text(tree.manifest);
  ROOST_TRY(const auto transport, factory());
  const Fd root(::open(tree.root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return fail_errno(errno, "read the folder " + tree.root.string());
  const Uploader uploader(tree, root.get(), options);
  // A blob can be collected on the server between two rounds; more than a few is no accident.
  for (int round = 0; round <= kRounds; ++round) {
    SnapshotTransport::Created created;
    ROOST_CHECK(with_retries(
        options,
        [&]() -> Status {
          ROOST_TRY(created, transport->create_snapshot(text));
          return {};
        },
        [] { return std::uint64_t{0}; }));
    out.created = created.created;
    if (created.missing.empty()) return out;
    if (round == kRounds) break;
    ROOST_TRY(auto blobs, find_files(tree.manifest, created.missing));
    for (const auto& blob : blobs) out.bytes += blob.size;
    out.blobs += blobs.size();
    ROOST_CHECK(run_lanes(make_batches(std::move(blobs)), factory, options,
                          [&](SnapshotTransport& lane, const std::vector<BlobWork>& batch,
                              ProgressMeter& meter) { return uploader.send(lane, batch, meter); }));
  }
  return fail(ErrorCode::kInternal,
              "the server still lacks files of the snapshot after they were sent");
}

}  // namespace roost
