#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace roost {

// Where the front of a data folder is: <data>/serving/front.json, for the server and for the next front.
struct FrontFile {
  std::int64_t pid = 0;
  std::int64_t start_time = 0;  // of that process, as in /proc/PID/stat: a pid alone may be another's by now
  std::string address;
  std::uint16_t port = 0;
  std::string key;  // for its statistics
  bool is_tls = false;
};

std::filesystem::path front_file_path(const std::filesystem::path& data);
// What the last front said. kNotFound if there was none.
Result<FrontFile> read_front_file(const std::filesystem::path& data);
// Of this process. Only its owner can read it.
Status write_front_file(const std::filesystem::path& data, FrontFile file);

}  // namespace roost
