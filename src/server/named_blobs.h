#pragma once

#include <functional>
#include <string>

#include "server/garbage_parts.h"
#include "server/digest_set.h"

namespace roost {

// Every blob that records name: artifacts, files of datastores, snapshots and what is in them. A new table
// that names blobs has to be added here. Of a manifest that cannot be read any more `tell` hears, and what
// its bytes still name counts. An error if something cannot be read now: then nothing is known to be
// unneeded.
Status find_named_blobs(const GarbageParts& parts, DigestSet& named, const std::function<void(std::string)>& tell);

// Forgets manifests that no run, input or model names, that are older than `grace` and that nobody was told
// of lately. In small steps, so that others can write between them.
Status drop_unused_snapshots(const GarbageParts& parts, Micros grace);

}  // namespace roost
