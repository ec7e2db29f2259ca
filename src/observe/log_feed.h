#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "observe/log_store.h"

namespace roost {

// A piece of a log as it is shown: valid UTF-8.
struct LogPiece {
  std::string name;
  std::optional<int> rank;   // where the logs of several ranks are shown together
  std::uint64_t offset = 0;  // byte of the log after this piece
  std::string text;
};

// What is new in the logs that somebody watches. Used by one thread at a time; the store must outlive it.
class LogFeed {
 public:
  virtual ~LogFeed() = default;
  // What has come since the last call, about 256 KiB at most: call again until it answers nothing. With
  // `over` no more will be written, so that what is held back in the hope of more comes too.
  virtual Result<std::vector<LogPiece>> next(std::int64_t attempt, bool over) = 0;
  // A further attempt writes its logs from the start.
  virtual void start_again() = 0;
};

// One log from `offset` on, as it was written.
std::unique_ptr<LogFeed> one_log(const LogStore& logs, std::string run, std::string name,
                                 std::uint64_t offset);

struct RankLog {
  int rank = 0;
  std::string name;
  std::uint64_t offset = 0;  // where to start
};

// The logs of several ranks in the order in which their lines were finished. A piece holds whole lines of
// one rank; only a line of more than 256 KiB, and the last one of a log, may lack its end.
std::unique_ptr<LogFeed> merged_logs(const LogStore& logs, std::string run, std::vector<RankLog> ranks);

}  // namespace roost
