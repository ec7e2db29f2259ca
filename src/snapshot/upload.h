#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "snapshot/blob_lanes.h"
#include "snapshot/snapshot_transport.h"
#include "snapshot/tree_scan.h"

namespace roost {

struct UploadedSnapshot {
  std::string digest;
  bool created = false;   // false: the server had this snapshot already
  std::size_t blobs = 0;  // sent now
  std::uint64_t bytes = 0;
};

// Stores the snapshot on the server; sends only the blobs it lacks, and of a large one only what
// did not arrive in an upload that broke off. Connections that break are tried again.
// kFailedPrecondition, with the name of the file, if one changed since the scan.
Result<UploadedSnapshot> upload_snapshot(const ScannedTree& tree, const TransportFactory& factory,
                                         const TransferOptions& options = {});

}  // namespace roost
