#pragma once

#include "client/api_client.h"
#include "snapshot/snapshot_transport.h"

namespace roost {

// Snapshots and blobs over the REST API, on a connection of its own. Not thread-safe.
class HttpSnapshotTransport final : public SnapshotTransport {
 public:
  explicit HttpSnapshotTransport(ServerAddress address) : client_(std::move(address)) {}

  Result<Created> create_snapshot(std::string_view manifest_text) override;
  Result<Manifest> get_snapshot(const std::string& digest) override;
  Status put_blobs(std::string_view frames) override;
  Result<UploadState> blob_upload_state(const std::string& digest) override;
  Status put_blob(const std::string& digest, std::uint64_t offset, std::uint64_t total_size,
                  const PieceReader& read) override;
  Status fetch_blobs(const std::vector<std::string>& digests, const BlobSink& each) override;
  Status get_blob(const std::string& digest, std::uint64_t offset, const PieceSink& each) override;

 private:
  ApiClient client_;
};

// A transport to the same server for each lane of a transfer.
TransportFactory http_transports(ServerAddress address);

}  // namespace roost
