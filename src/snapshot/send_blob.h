#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "snapshot/snapshot_transport.h"

namespace roost {

// The bytes of a large blob, wherever they are.
struct BlobSource {
  std::string digest;
  std::uint64_t size = 0;
  // Up to `limit` bytes from `offset` on. Its error ends the upload and is given back; nothing before the end means
  // that the source has become shorter.
  std::function<Result<std::string>(std::uint64_t offset, std::uint64_t limit)> read;
  // How many bytes are done, as often as that changes; fewer than before if some have to be sent again. May be null.
  std::function<void(std::uint64_t done)> progress = nullptr;
};

// Sends it, from where an earlier try or somebody else's ended; waits a while for one who sends the same. Everyone who
// sends a blob alone does it by this: snapshots, models, and the outputs of runs. kDataMismatch if what was read does
// not have the digest (any more). Whether an error is worth another call is for the caller to say.
Status send_blob(SnapshotTransport& transport, const BlobSource& source);

}  // namespace roost
