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

  // How many bytes of an unfinished upload the server has kept.
  virtual Result<std::uint64_t> blob_upload_received(const std::string& digest) = 0;
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
