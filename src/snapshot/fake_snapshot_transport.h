#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/frames.h"
#include "snapshot/snapshot_transport.h"

namespace roost {

// A server in memory, for tests. Its transports may be used on several threads at once; the public
// members only while none is.
class FakeSnapshotServer {
 public:
  std::map<std::string, std::string> blobs;
  std::map<std::string, std::string> uploads;    // what came of unfinished ones
  std::map<std::string, std::string> snapshots;  // digest -> manifest text

  // Ways to fail. Bytes count in both directions; requests that fail have no effect.
  std::int64_t break_after_bytes = -1;  // then the connection breaks once
  int fail_requests = 0;                // so many requests fail with kUnavailable
  bool damage_answers = false;          // one byte of every blob sent out is wrong

  // Somebody else is sending this blob, and is done when so many asked how far that is.
  std::string others_blob;
  int others_send = 0;

  // What was asked.
  int put_blobs_calls = 0;
  int put_blob_calls = 0;
  int fetch_calls = 0;
  int breaks = 0;
  std::uint64_t largest_body = 0;
  std::uint64_t bytes_received = 0;

  TransportFactory factory();

 private:
  friend class FakeSnapshotTransport;
  std::mutex mutex_;
};

class FakeSnapshotTransport final : public SnapshotTransport {
 public:
  explicit FakeSnapshotTransport(FakeSnapshotServer& server) : server_(server) {}

  Result<Created> create_snapshot(std::string_view text) override {
    const std::lock_guard lock(server_.mutex_);
    ROOST_CHECK(request());
    ROOST_TRY(const Manifest manifest, parse_manifest(text));
    Created out;
    for (const auto& entry : manifest.entries) {
      if (entry.is_file() && !server_.blobs.contains(entry.digest))
        out.missing.push_back(entry.digest);
    }
    std::sort(out.missing.begin(), out.missing.end());
    out.missing.erase(std::unique(out.missing.begin(), out.missing.end()), out.missing.end());
    if (out.missing.empty()) {
      out.created = server_.snapshots.emplace(sha256_hex(text), text).second;
    }
    return out;
  }

  Result<Manifest> get_snapshot(const std::string& digest) override {
    const std::lock_guard lock(server_.mutex_);
    ROOST_CHECK(request());
    const auto found = server_.snapshots.find(digest);
    if (found == server_.snapshots.end())
      return fail(ErrorCode::kNotFound, "no snapshot " + digest);
    return parse_manifest(found->second);
  }

  Status put_blobs(std::string_view frames) override {
    const std::lock_guard lock(server_.mutex_);
    ROOST_CHECK(request());
    ++server_.put_blobs_calls;
    server_.largest_body = std::max<std::uint64_t>(server_.largest_body, frames.size());
    FrameReader reader(1 << 20);
    ROOST_CHECK(reader.feed(frames, [&](Frame frame) -> Status {
      ROOST_CHECK(transfer(frame.payload.size()));
      server_.bytes_received += frame.payload.size();
      const std::string digest = text_at(frame.header, "digest");
      if (sha256_hex(frame.payload) != digest) return fail(ErrorCode::kDataMismatch, digest);
      server_.blobs[digest] = std::move(frame.payload);
      return {};
    }));
    return reader.finish();
  }

  Result<UploadState> blob_upload_state(const std::string& digest) override {
    const std::lock_guard lock(server_.mutex_);
    ROOST_CHECK(request());
    if (server_.others_send > 0 && --server_.others_send == 0) server_.blobs[digest] = server_.others_blob;
    return UploadState{server_.blobs.contains(digest), server_.others_send > 0, server_.uploads[digest].size()};
  }

  Status put_blob(const std::string& digest, std::uint64_t offset, std::uint64_t total_size,
                  const PieceReader& read) override {
    {
      const std::lock_guard lock(server_.mutex_);
      ROOST_CHECK(request());
      ++server_.put_blob_calls;
      if (server_.uploads[digest].size() != offset) {
        return fail(ErrorCode::kFailedPrecondition, "the upload goes on at another offset");
      }
    }
    for (;;) {
      ROOST_TRY(const std::string piece, read());
      const std::lock_guard lock(server_.mutex_);
      std::string& upload = server_.uploads[digest];
      if (piece.empty()) {
        const std::string whole = std::exchange(upload, "");
        server_.uploads.erase(digest);
        if (whole.size() != total_size || sha256_hex(whole) != digest) {
          return fail(ErrorCode::kDataMismatch, digest);
        }
        server_.blobs[digest] = whole;
        return {};
      }
      ROOST_CHECK(transfer(piece.size()));
      server_.bytes_received += piece.size();
      upload += piece;
    }
  }

  Status fetch_blobs(const std::vector<std::string>& digests, const BlobSink& each) override {
    for (const auto& digest : digests) {
      ROOST_TRY(const std::string bytes, find(digest, &digest == digests.data()));
      {
        const std::lock_guard lock(server_.mutex_);
        ROOST_CHECK(transfer(bytes.size()));
      }
      ROOST_CHECK(each(digest, bytes));
    }
    return {};
  }

  Status get_blob(const std::string& digest, std::uint64_t offset, const PieceSink& each) override {
    ROOST_TRY(const std::string bytes, find(digest, true));
    for (std::size_t at = offset; at < bytes.size(); at += kPiece) {
      const auto piece = std::string_view(bytes).substr(at, kPiece);
      {
        const std::lock_guard lock(server_.mutex_);
        ROOST_CHECK(transfer(piece.size()));
      }
      ROOST_CHECK(each(piece));
    }
    return {};
  }

 private:
  static constexpr std::size_t kPiece = 100'000;

  Status request() {
    if (server_.fail_requests == 0) return {};
    --server_.fail_requests;
    return fail(ErrorCode::kUnavailable, "the fake server is away");
  }

  Status transfer(std::size_t bytes) {
    if (server_.break_after_bytes < 0) return {};
    server_.break_after_bytes -= static_cast<std::int64_t>(bytes);
    if (server_.break_after_bytes >= 0) return {};
    server_.break_after_bytes = -1;
    ++server_.breaks;
    return fail(ErrorCode::kUnavailable, "the fake connection broke");
  }

  Result<std::string> find(const std::string& digest, bool new_request) {
    const std::lock_guard lock(server_.mutex_);
    if (new_request) {
      ROOST_CHECK(request());
      ++server_.fetch_calls;
    }
    const auto found = server_.blobs.find(digest);
    if (found == server_.blobs.end()) return fail(ErrorCode::kNotFound, "no blob " + digest);
    std::string bytes = found->second;
    if (server_.damage_answers && !bytes.empty()) bytes[bytes.size() / 2] ^= 1;
    return bytes;
  }

  FakeSnapshotServer& server_;
};

inline TransportFactory FakeSnapshotServer::factory() {
  return [this]() -> Result<std::unique_ptr<SnapshotTransport>> {
    return std::make_unique<FakeSnapshotTransport>(*this);
  };
}

}  // namespace roost
