#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "domain/manifest.h"
#include "snapshot/blob_lanes.h"
#include "snapshot/snapshot_transport.h"

namespace roost {

// The manifest of a snapshot from the server, proved by its digest.
Result<Manifest> fetch_manifest(SnapshotTransport& transport, const std::string& digest);

// Writes the tree of a snapshot into `destination`, which must not be there yet or be an empty
// folder (else kAlreadyExists). Every file is checked against its digest; modes are 0644 and 0755.
// The tree is made aside and moved to its place when it is whole: after a failure the destination
// is as it was, and after a crash what is left is named ".roost-restore-...", beside an absent
// destination or in an empty one. No symlink is followed, whatever the manifest says.
Status restore_snapshot(const Manifest& manifest, const std::filesystem::path& destination,
                        const TransportFactory& factory, const TransferOptions& options = {});

}  // namespace roost
