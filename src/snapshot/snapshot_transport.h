#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/manifest.h"

namespace roost {

// How snapshots and blobs travel: the operations of the HTTP API that the client side of a snapshot
// needs. Not thread-safe; every lane of a transfer has its own. kUnavailable and kDeadlineExceeded
// mean that trying again may help; kDataMismatch that bytes did not have their digest.
class SnapshotTransport {
 public:
  virtual ~SnapshotTransport() = default;

  struct Created {
    bool created = false;              // false: the server had it already, or blobs are missing
    std::vector<std::string> missing;  // digests; if any, the snapshot is not stored yet
  };
  virtual Result<Created> create_snapshot(std::string_view manifest_text) = 0;
  virtual Result<Manifest> get_snapshot(const std::string& digest) = 0;

  // Blobs as frames with {"digest"}; storing one twice is no error.
  virtual Status put_blobs(std::string_view frames) = 0;

  struct UploadState {
    bool is_stored = false;      // the whole blob
    bool is_active = false;      // somebody else is sending it; it may be stored soon
    std::uint64_t received = 0;  // of an unfinished upload
  };
  // How far an upload is. Waits a while for somebody else's to end.
  virtual Result<UploadState> blob_upload_state(const std::string& digest) = 0;
  // The same, asked until nobody else is sending. One who is slow is not waited for longer.
  Result<UploadState> settled_upload(const std::string& digest) {
    for (int asked = 1;; ++asked) {
      ROOST_TRY(const UploadState state, blob_upload_state(digest));
      if (!state.is_active || asked == 3) return state;
    }
  }
  // Sends the bytes from `offset` on. `read` gives the next piece, an empty one at the end; its
  // error ends the upload and is returned. The server keeps what came if the connection breaks.
  using PieceReader = std::function<Result<std::string>()>;
  virtual Status put_blob(const std::string& digest, std::uint64_t offset, std::uint64_t total_size,
                          const PieceReader& read) = 0;

  // Calls `each` for every blob, in any order. kNotFound if the server lacks one.
  using BlobSink = std::function<Status(const std::string& digest, std::string_view bytes)>;
  virtual Status fetch_blobs(const std::vector<std::string>& digests, const BlobSink& each) = 0;
  // Calls `each` for the pieces of one blob from `offset` on, in order.
  using PieceSink = std::function<Status(std::string_view piece)>;
  virtual Status get_blob(const std::string& digest, std::uint64_t offset,
                          const PieceSink& each) = 0;
};

// Makes one transport for each lane. Called on the thread that starts the transfer only.
using TransportFactory = std::function<Result<std::unique_ptr<SnapshotTransport>>()>;

}  // namespace roost
