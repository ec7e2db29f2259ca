#pragma once

#include <string>
#include <vector>

#include "cli/console.h"
#include "snapshot/tree_scan.h"

namespace roost {

// From so many bytes on an upload is worth a question.
inline constexpr std::uint64_t kLargeUpload = 200'000'000;

// A part of a folder that is about to be uploaded, as a line of .amlignore names it.
struct UploadPart {
  std::string line;  // ".venv/", "data/train.npy"
  std::uint64_t bytes = 0;
};

// What makes up most of `entries`, the largest first, at most `most` parts: folders, and further down if most of one is in
// one place; files at the top.
std::vector<UploadPart> largest_parts(const std::vector<const ManifestEntry*>& entries, std::size_t most = 3);

// Says what is large of what the server lacks, and how to leave it out. On a terminal it asks; an answer other than yes is
// kFailedPrecondition. With `yes`, without a terminal, or if it is not large, the upload goes on.
Status confirm_upload(Console& console, const ScannedTree& tree, bool yes);

}  // namespace roost
