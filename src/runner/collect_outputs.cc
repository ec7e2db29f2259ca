#include "runner/collect_outputs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/frames.h"
#include "base/open_beneath.h"
#include "base/text.h"
#include "client/snapshot_transport.h"
#include "snapshot/send_blob.h"

namespace roost {
namespace {

constexpr std::uint64_t kSmall = 256 * 1024;
constexpr std::size_t kBatchBytes = 4 << 20;
constexpr std::size_t kBatchFiles = 5000;
constexpr std::size_t kPiece = 1 << 20;
constexpr int kTries = 3;  // for a file that changes while it is sent
constexpr const char* kNoRoom = "is not kept: the server has no room for it";

Json facts(const FoundOutput& file, const std::string& digest, std::uint64_t size) {
  return {{"path", file.path}, {"digest", digest}, {"size", size}};
}

std::string hash_of(int fd, std::uint64_t& size) {
  Sha256 hash;
  for (size = 0;;) {
    const std::string piece = read_at(fd, size, kPiece);
    hash.update(piece);
    size += piece.size();
    if (piece.size() < kPiece) return hash.hex();
  }
}

class Upload {
 public:
  Upload(ServerLink& server, const OutputTree& tree, SpaceWait& space) : server_(server), tree_(tree), space_(space) {}

  Status take(const FoundOutput& file) {
    auto opened = open_plain_file(tree_.root(), file.file);
    if (!opened) {
      if (errno != ENOENT) collected_.notices.add(file.path, std::string("cannot be read: ") + std::strerror(errno));
      return {};
    }
    if (static_cast<std::uint64_t>(opened->info.st_size) > kSmall) return take_large(file, opened->fd.get());
    std::string bytes = read_at(opened->fd.get(), 0, kSmall);
    batch_bytes_ += bytes.size();
    const std::string digest = sha256_hex(bytes);
    batch_.push_back({file, digest, std::move(bytes)});
    if (batch_bytes_ < kBatchBytes && batch_.size() < kBatchFiles) return {};
    return flush();
  }

  Result<CollectedOutputs> finish() {
    ROOST_CHECK(flush());
    return std::move(collected_);
  }

 private:
  struct Small {
    FoundOutput file;
    std::string digest;
    std::string bytes;
  };

  // Asks until the server answers; a full disk there ends it with time.
  Status ask(const std::function<Status(HttpSnapshotTransport&)>& work) {
    no_room_ = false;
    Status own;
    const auto answer = server_.persist([&](ApiClient& api) -> Result<Json> {
      HttpSnapshotTransport blobs(api);
      const Status done = work(blobs);
      if (done) return Json();
      no_room_ = done.error().code == ErrorCode::kResourceExhausted && space_.gives_up();
      // The file was written to after it was hashed.
      if (no_room_ || done.error().code == ErrorCode::kDataMismatch) own = done;
      return fail(done.error());
    }, own);
    if (!answer) return fail(answer.error());
    return {};
  }

  Result<std::set<std::string>> missing(const std::vector<std::string>& digests) {
    std::set<std::string> missing;
    const auto asked = server_.persist([&](ApiClient& api) -> Result<Json> {
      ROOST_TRY(missing, HttpSnapshotTransport(api).missing_blobs(digests));
      return Json();
    });
    if (!asked) return fail(asked.error());
    return missing;
  }

  void leave_out(const FoundOutput& file, const Error& error) {
    if (no_room_) {
      collected_.without_room.push_back(file);
      collected_.notices.add(file.path, kNoRoom);
      return;
    }
    collected_.notices.add(file.path, "is not kept: " + error.message);
    if (collected_.refused.empty()) collected_.refused = fmt::format("{}: {}", printable(file.path), error.message);
  }

  Status take_large(const FoundOutput& file, int fd) {
    for (int i = 1;; ++i) {
      std::uint64_t size = 0;
      const std::string digest = hash_of(fd, size);
      ROOST_TRY(const auto lacks, missing({digest}));
      const Status put = lacks.empty() ? Status() : put_large(fd, digest, size);
      if (put) {
        collected_.files.push_back(facts(file, digest, size));
        return {};
      }
      if (server_.is_stopped() || is_given_up(put.error())) return fail(put.error());
      if (put.error().code == ErrorCode::kDataMismatch && i < kTries) continue;
      leave_out(file, put.error());
      return {};
    }
  }

  Status put_large(int fd, const std::string& digest, std::uint64_t size) {
    const BlobSource source{digest, size, [fd](std::uint64_t offset, std::uint64_t limit) -> Result<std::string> {
      return read_at(fd, offset, limit);
    }};
    return ask([&](HttpSnapshotTransport& blobs) { return send_blob(blobs, source); });
  }

  Status flush() {
    const std::vector<Small> batch = std::exchange(batch_, {});
    batch_bytes_ = 0;
    if (batch.empty()) return {};
    std::vector<std::string> digests;
    for (const auto& small : batch) digests.push_back(small.digest);
    ROOST_TRY(const auto lacks, missing(digests));
    std::string body;
    std::set<std::string> sent;
    for (const auto& small : batch) {
      if (!lacks.contains(small.digest) || !sent.insert(small.digest).second) continue;
      append_frame(body, {{"digest", small.digest}}, small.bytes);
    }
    const Status put = body.empty() ? Status() : ask([&](HttpSnapshotTransport& blobs) { return blobs.put_blobs(body); });
    if (!put && (server_.is_stopped() || is_given_up(put.error()))) return fail(put.error());
    for (const auto& small : batch) {
      const bool known = put || !sent.contains(small.digest);
      if (known) collected_.files.push_back(facts(small.file, small.digest, small.bytes.size()));
      else leave_out(small.file, put.error());
    }
    return {};
  }

  ServerLink& server_;
  const OutputTree& tree_;
  SpaceWait& space_;
  CollectedOutputs collected_;
  std::vector<Small> batch_;
  std::size_t batch_bytes_ = 0;
  bool no_room_ = false;
};

void remove_file(int root, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const Fd folder = open_beneath(root, slash == std::string::npos ? "." : path.substr(0, slash), O_PATH | O_DIRECTORY);
  if (folder) ::unlinkat(folder.get(), path.c_str() + (slash == std::string::npos ? 0 : slash + 1), 0);
}

}  // namespace

bool SpaceWait::gives_up() {
  const Micros now = clock_.steady();
  if (!until_) until_ = now + patience_;
  return now >= *until_ || is_over_();
}

std::string CollectedOutputs::failure() const {
  if (!without_room.empty()) {
    const auto& first = without_room.front();
    return fmt::format("no space for {} ({}){}", printable(first.path),
                       human_bytes(static_cast<std::uint64_t>(first.info.st_size)),
                       without_room.size() == 1 ? "" : fmt::format(" and {} more", without_room.size() - 1));
  }
  return refused.empty() ? "" : "an output could not be kept: " + refused;
}

Result<CollectedOutputs> upload_outputs(ServerLink& server, const OutputTree& tree, const std::vector<FoundOutput>& files,
                                        SpaceWait& space) {
  Upload upload(server, tree, space);
  for (const auto& file : files) ROOST_CHECK(upload.take(file));
  return upload.finish();
}

Result<CollectedOutputs> collect_outputs(ServerLink& server, const OutputTree& tree, SpaceWait& space) {
  Notices left_out;
  const auto files = tree.find(left_out);
  ROOST_TRY(CollectedOutputs collected, upload_outputs(server, tree, files, space));
  collected.notices.add_all(left_out);
  // What is large is given up and removed; there may be room for the rest then.
  std::vector<FoundOutput> small;
  std::erase_if(collected.without_room, [&](const FoundOutput& file) {
    const bool is_small = static_cast<std::uint64_t>(file.info.st_size) <= kSmall;
    if (is_small) small.push_back(file);
    else remove_file(tree.root(), file.file);
    return is_small;
  });
  if (small.empty()) return collected;
  ROOST_TRY(CollectedOutputs again, upload_outputs(server, tree, small, space));
  for (auto& file : again.files) {
    collected.notices.remove(file["path"].get<std::string>());
    collected.files.push_back(std::move(file));
  }
  for (auto& file : again.without_room) collected.without_room.push_back(std::move(file));
  return collected;
}

}  // namespace roost
