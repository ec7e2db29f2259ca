#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "client/api_client.h"
#include "domain/manifest.h"
#include "snapshot/blob_lanes.h"

namespace roost {

// The files of a model on this machine. Unlike a snapshot nothing is ignored, and symlinks are
// followed: checkpoints are often links to the newest one.
struct ModelFiles {
  Manifest manifest;
  std::vector<std::filesystem::path> files;  // of the entries, in their order; "" for a folder
  std::string digest;                        // of the manifest
};

// A file is one entry with its name; a folder gives entries below its name. kNotFound if there is
// neither, kInvalidArgument if a symlink leads nowhere or in circles.
Result<ModelFiles> read_model_files(const std::filesystem::path& path);

// Stores the manifest and those of its files that the server lacks.
Status upload_model_files(const ModelFiles& model, const TransportFactory& factory,
                          const TransferOptions& options);

// Writes the files of a manifest below `folder`, each verified and in one step; a file that is
// there and right is left as it is, and another one is replaced. Answers where they are.
Result<std::vector<std::filesystem::path>> download_model_files(
    ApiClient& client, const Manifest& manifest, const std::filesystem::path& folder,
    const std::function<void(std::uint64_t)>& progress);

}  // namespace roost
