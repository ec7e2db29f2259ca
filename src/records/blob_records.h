#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "db/database.h"

namespace roost {

// Which blobs records name. A new table that names blobs has to be added here.

// Calls `found` for the digest of every file of a run or datastore, also of outputs that nodes have reported while
// others of the same attempt have not. The manifests are not among them.
Status each_named_file(Tx& tx, const std::function<void(const std::string& digest)>& found);
Result<std::vector<std::string>> manifest_digests(Tx& tx);

// Manifests made by `oldest` that no run, input or model names.
Result<std::vector<std::string>> unused_manifests(Tx& tx, Micros oldest);
// Unless somebody names it by now.
Status drop_unused_manifest(Tx& tx, const std::string& digest, Micros oldest);

// Who will miss the blob, in words: " (<path> of run <id>)"; "" if no run has it.
Result<std::string> user_of_blob(Tx& tx, const std::string& digest);

}  // namespace roost
