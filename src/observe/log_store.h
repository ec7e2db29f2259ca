#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "observe/log_times.h"

namespace roost {

// The log files of runs, one folder per attempt. A file's length on disk is the truth of how far it
// has been received, so that appending by offset is idempotent. Thread-safe.
class LogStore {
 public:
  explicit LogStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Adds what lies beyond the present end and answers the new length. Bytes received before are
  // skipped; bytes that would leave a gap are not taken (the answer tells where to go on). With `at`
  // it is kept beside the log when they came, for those who show several logs in order of time.
  Result<std::uint64_t> append(const std::string& run, std::int64_t attempt, const std::string& name,
                               std::uint64_t offset, std::string_view bytes,
                               std::optional<Micros> at = std::nullopt);

  // At most `limit` bytes from `offset`; empty at or beyond the end, or if there is no such log yet.
  Result<std::string> read(const std::string& run, std::int64_t attempt, const std::string& name,
                           std::uint64_t offset, std::size_t limit) const;
  Result<std::uint64_t> size(const std::string& run, std::int64_t attempt,
                             const std::string& name) const;

  // When the bytes of a log came, from record `first` on; see LogTime.
  Result<std::vector<LogTime>> times(const std::string& run, std::int64_t attempt,
                                     const std::string& name, std::uint64_t first,
                                     std::size_t limit) const;

  // Its last `bytes`; less if there are fewer, "" if there is no such log.
  std::string tail(const std::string& run, std::int64_t attempt, const std::string& name, std::uint64_t bytes) const;

  struct Entry {
    std::string name;
    std::uint64_t size = 0;
  };
  std::vector<Entry> list(const std::string& run, std::int64_t attempt) const;

  // The last `count` lines of a log, each cut at 1000 bytes.
  std::vector<std::string> last_lines(const std::string& run, std::int64_t attempt,
                                      const std::string& name, std::size_t count) const;

  // Removes all logs of the run; how many bytes they had. None is no error.
  Result<std::uint64_t> remove(const std::string& run);
  // Bytes of all logs of the run.
  std::uint64_t size_of_run(const std::string& run) const;

  // Makes all logs of the attempt survive power loss.
  Status sync(const std::string& run, std::int64_t attempt) const;

 private:
  std::filesystem::path run_folder(const std::string& run) const;
  std::filesystem::path attempt_folder(const std::string& run, std::int64_t attempt) const;
  std::filesystem::path times_file(const std::string& run, std::int64_t attempt,
                                   const std::string& name) const;
  std::mutex& lock_for(const std::string& run);

  std::filesystem::path folder_;
  std::array<std::mutex, 64> locks_;
};

inline constexpr std::string_view kBuildLog = "azureml-logs/20_image_build_log.txt";
inline constexpr std::string_view kDriverLog = "azureml-logs/70_driver_log.txt";

}  // namespace roost
