#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "client/api_client.h"

namespace roost {

// `path` (from the server) below `root`, with its folders made. Refuses a path that would leave the
// root, also by way of a symbolic link that is already there.
Result<std::filesystem::path> place_below(const std::filesystem::path& root,
                                          const std::string& path);

// Gets `api_path` into the file `target`, which appears whole and only if its SHA-256 is `digest`
// ("" takes any). `progress` gets the number of bytes of each piece. A file that has the digest
// already is left as it is.
Status download_file(ApiClient& client, const std::string& api_path, const std::string& digest,
                     const std::filesystem::path& target,
                     const std::function<void(std::uint64_t)>& progress);

}  // namespace roost
