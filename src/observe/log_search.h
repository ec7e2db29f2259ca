#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "observe/log_store.h"

namespace roost {

struct LogSearch {
  std::string text;     // in upper or lower case
  bool errors = false;  // instead: lines that look like errors
  std::uint64_t offset = 0;
  std::size_t limit = 1000;
  std::uint64_t most_bytes = 512 << 20;  // gives up, and says where, after about so many
};

struct LogMatches {
  struct Item {
    std::uint64_t offset = 0;  // where the line begins
    std::string line;          // UTF-8, at most 500 bytes
  };
  std::vector<Item> items;
  std::uint64_t size = 0;             // of the log
  std::optional<std::uint64_t> next;  // where to go on; none at the end
};

// Looks through a log of any size in pieces. A log that is not there yet has no lines.
Result<LogMatches> search_log(const LogStore& logs, const std::string& run, std::int64_t attempt,
                              const std::string& name, const LogSearch& search);

// The head of a traceback, an exception's last line, a log record of level ERROR, or a crash.
bool looks_like_error(std::string_view line);

}  // namespace roost
