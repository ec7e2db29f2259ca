#include <algorithm>
#include <limits>

#include "base/text.h"
#include "observe/log_feed.h"

namespace roost {
namespace {

constexpr std::size_t kPiece = 256 * 1024;
constexpr std::size_t kRankPiece = 64 * 1024;  // of each rank in memory, unless a line is longer
constexpr std::size_t kTimes = 256;
// Of bytes whose time is not known (yet): after all others.
constexpr Micros kLater = std::numeric_limits<Micros>::max();

// One rank's log, line by line, each with the time at which its end came.
class RankLines {
 public:
  RankLines(const LogStore& logs, const std::string& run, RankLog log)
      : logs_(logs), run_(run), log_(std::move(log)) {}

  void start_again() {
    log_.offset = first_time_ = 0;
    bytes_.clear();
    times_.clear();
    line_ = 0;
  }

  // Looks for a line if none is ready.
  Status look(std::int64_t attempt, bool over) {
    if (line_ > 0) return {};
    std::size_t searched = 0;
    for (;;) {
      const std::size_t newline = bytes_.find('\n', searched);
      if (newline != std::string::npos) return found(attempt, newline + 1);
      if (bytes_.size() >= kPiece) return found(attempt, bytes_.size());
      searched = bytes_.size();
      ROOST_TRY(const std::string more,
                logs_.read(run_, attempt, log_.name, log_.offset + bytes_.size(), kRankPiece));
      if (more.empty()) break;
      bytes_ += more;
    }
    if (over && !bytes_.empty()) return found(attempt, bytes_.size());
    return {};
  }

  bool has_line() const { return line_ > 0; }
  Micros time() const { return time_; }
  int rank() const { return log_.rank; }

  // The line that look() found, with all that follow it in memory and came no later than `until`.
  Result<LogPiece> take(std::int64_t attempt, Micros until) {
    std::size_t end = 0;
    while (line_ > 0 && (end == 0 || time_ <= until)) {
      end = line_;
      const std::size_t newline = bytes_.find('\n', end);
      line_ = 0;
      if (newline != std::string::npos) ROOST_CHECK(found(attempt, newline + 1));
    }
    LogPiece piece{log_.name, log_.rank, log_.offset + end, to_utf8(std::string_view(bytes_).substr(0, end))};
    bytes_.erase(0, end);
    log_.offset += end;
    if (line_ > 0) line_ -= end;
    return piece;
  }

 private:
  Status found(std::int64_t attempt, std::size_t end) {
    line_ = end;
    const std::uint64_t place = log_.offset + end;
    for (;;) {
      const auto covers = std::find_if(times_.begin(), times_.end(),
                                       [&](const LogTime& time) { return time.end >= place; });
      times_.erase(times_.begin(), covers);
      if (!times_.empty()) break;
      ROOST_TRY(times_, logs_.times(run_, attempt, log_.name, first_time_, kTimes));
      first_time_ += times_.size();
      if (times_.empty()) break;
    }
    time_ = times_.empty() ? kLater : times_.front().at;
    return {};
  }

  const LogStore& logs_;
  const std::string& run_;
  RankLog log_;
  std::string bytes_;               // read but not taken, from log_.offset on
  std::size_t line_ = 0;            // where the first line of them ends; 0: none is ready
  Micros time_ = 0;                 // of that line
  std::vector<LogTime> times_;      // read but not passed
  std::uint64_t first_time_ = 0;    // record to read next
};

class MergedLogs final : public LogFeed {
 public:
  MergedLogs(const LogStore& logs, std::string run, std::vector<RankLog> ranks) : run_(std::move(run)) {
    for (auto& rank : ranks) ranks_.emplace_back(logs, run_, std::move(rank));
  }

  Result<std::vector<LogPiece>> next(std::int64_t attempt, bool over) override {
    std::vector<LogPiece> pieces;
    std::size_t size = 0;
    for (auto& rank : ranks_) ROOST_CHECK(rank.look(attempt, over));
    while (size < kPiece) {
      RankLines* first = nullptr;
      Micros then = kLater;  // when the next line of another rank came
      for (auto& rank : ranks_) {
        if (!rank.has_line()) continue;
        if (!first || rank.time() < first->time()) {
          if (first) then = std::min(then, first->time());
          first = &rank;
        } else {
          then = std::min(then, rank.time());
        }
      }
      if (!first) break;
      ROOST_TRY(LogPiece piece, first->take(attempt, then));
      size += piece.text.size();
      pieces.push_back(std::move(piece));
      ROOST_CHECK(first->look(attempt, over));
    }
    return pieces;
  }

  void start_again() override {
    for (auto& rank : ranks_) rank.start_again();
  }

 private:
  const std::string run_;
  std::vector<RankLines> ranks_;
};

}  // namespace

std::unique_ptr<LogFeed> merged_logs(const LogStore& logs, std::string run, std::vector<RankLog> ranks) {
  return std::make_unique<MergedLogs>(logs, std::move(run), std::move(ranks));
}

}  // namespace roost
