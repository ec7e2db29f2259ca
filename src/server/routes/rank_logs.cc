#include "server/routes/rank_logs.h"

#include <charconv>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/rank_plan.h"

namespace roost {
namespace {

template <class T>
bool read_number(const std::string& word, T& value) {
  const char* end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, value);
  return error == std::errc() && at == end;
}

Result<std::vector<int>> numbers_of(const Run& run, const std::string& ranks) {
  const int count = gang_of_spec(run.spec).processes();
  std::vector<int> numbers;
  if (ranks == "all") {
    for (int rank = 0; rank < count; ++rank) numbers.push_back(rank);
    return numbers;
  }
  for (const std::string& word : split(ranks, ',')) {
    int rank = -1;
    if (!read_number(word, rank)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("\"ranks\" is \"{}\"; it must be all, or ranks like 0,3", printable(ranks)));
    }
    if (rank < 0 || rank >= count) {
      return fail(ErrorCode::kInvalidArgument,
                  count == 1 ? fmt::format("run {} has one process, rank 0; there is no rank {}", run.id, rank)
                             : fmt::format("run {} has {} ranks, 0 to {}; there is no rank {}", run.id, count,
                                           count - 1, rank));
    }
    numbers.push_back(rank);
  }
  return numbers;
}

}  // namespace

Result<std::vector<RankLog>> rank_logs(const Run& run, const std::string& ranks, const std::string& offsets) {
  ROOST_TRY(const auto numbers, numbers_of(run, ranks));
  const Gang gang = gang_of_spec(run.spec);
  const auto words = offsets.empty() ? std::vector<std::string>() : split(offsets, ',');
  if (words.size() > numbers.size()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"offsets\" has {} bytes for {} ranks", words.size(), numbers.size()));
  }
  std::map<int, RankLog> chosen;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    RankLog log{numbers[i], rank_log(gang, numbers[i]), 0};
    if (i < words.size() && (!read_number(words[i], log.offset) || log.offset > INT64_MAX)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("\"offsets\" is \"{}\"; it must be bytes like 0,4711", printable(offsets)));
    }
    chosen.emplace(log.rank, std::move(log));
  }
  std::vector<RankLog> logs;
  for (auto& [rank, log] : chosen) logs.push_back(std::move(log));
  return logs;
}

}  // namespace roost
