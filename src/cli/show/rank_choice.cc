#include "cli/show/rank_choice.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "domain/rank_plan.h"

namespace roost {
namespace {

Gang gang_of_run(const Json& run) {
  const Json& spec = child(run, "spec");
  return spec.is_object() ? gang_of_spec(spec) : Gang{};
}

}  // namespace

std::string RankChoice::query() const {
  const bool is_all = ranks.size() == static_cast<std::size_t>(count);
  std::string text = is_all ? "ranks=all" : fmt::format("ranks={}", fmt::join(ranks, ","));
  if (offsets.empty()) return text;
  text += "&offsets=";
  for (const int rank : ranks) {
    if (text.back() != '=') text += ',';
    const auto known = offsets.find(rank);
    text += std::to_string(known == offsets.end() ? 0 : known->second);
  }
  return text;
}

int rank_count(const Json& run) { return gang_of_run(run).processes(); }

RankChoice all_ranks(const Json& run) {
  RankChoice choice;
  choice.count = rank_count(run);
  for (int rank = 0; rank < choice.count; ++rank) choice.ranks.push_back(rank);
  return choice;
}

Result<RankChoice> parse_ranks(const std::string& text, const Json& run) {
  RankChoice choice;
  choice.count = rank_count(run);
  for (const std::string& word : split(text, ',')) {
    int rank = -1;
    const char* end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data(), end, rank);
    if (error != std::errc() || at != end || rank < 0) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--rank \"{}\" is no rank; write it like 3 or 0,2", printable(text)));
    }
    if (rank >= choice.count) {
      const std::string id = text_field(run, "id");
      return fail(ErrorCode::kInvalidArgument,
                  choice.count == 1
                      ? fmt::format("run {} has one process, rank 0; there is no rank {}", id, rank)
                      : fmt::format("run {} has {} ranks, 0 to {}; there is no rank {}", id,
                                    choice.count, choice.count - 1, rank));
    }
    choice.ranks.push_back(rank);
  }
  std::sort(choice.ranks.begin(), choice.ranks.end());
  choice.ranks.erase(std::unique(choice.ranks.begin(), choice.ranks.end()), choice.ranks.end());
  return choice;
}

std::string log_of_rank(const Json& run, int rank) { return rank_log(gang_of_run(run), rank); }

std::string ranks_text(const std::vector<int>& ranks) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (last > i + 1) {
      parts.push_back(fmt::format("{} to {}", ranks[i], ranks[last]));
    } else {
      for (std::size_t k = i; k <= last; ++k) parts.push_back(std::to_string(ranks[k]));
    }
    i = last + 1;
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

}  // namespace roost
