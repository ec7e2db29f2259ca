#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "client/api_client.h"
#include "snapshot/snapshot_transport.h"

namespace roost {

// Snapshots and blobs over the REST API: the only place that knows how blobs travel. Not thread-safe.
class HttpSnapshotTransport final : public SnapshotTransport {
 public:
  // On a connection of its own.
  explicit HttpSnapshotTransport(ServerAddress address)
      : own_(std::make_unique<ApiClient>(std::move(address))), client_(*own_) {}
  // On one that is there, and that must outlive it.
  explicit HttpSnapshotTransport(ApiClient& client) : client_(client) {}

  Result<Created> create_snapshot(std::string_view manifest_text) override;
  Result<Manifest> get_snapshot(const std::string& digest) override;
  Status put_blobs(std::string_view frames) override;
  Result<UploadState> blob_upload_state(const std::string& digest) override;
  Status put_blob(const std::string& digest, std::uint64_t offset, std::uint64_t total_size,
                  const PieceReader& read) override;
  // Those of the blobs that the server lacks.
  Result<std::set<std::string>> missing_blobs(const std::vector<std::string>& digests);
  Status fetch_blobs(const std::vector<std::string>& digests, const BlobSink& each) override;
  Status get_blob(const std::string& digest, std::uint64_t offset, const PieceSink& each) override;

 private:
  std::unique_ptr<ApiClient> own_;
  ApiClient& client_;
};

// A transport to the same server for each lane of a transfer.
TransportFactory http_transports(ServerAddress address);

}  // namespace roost
