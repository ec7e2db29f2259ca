#include "cli/show/rank_table.h"

#include <vector>

#include <fmt/format.h>

#include "cli/show/rank_choice.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "domain/exit_text.h"

namespace roost {
namespace {

constexpr std::size_t kMostRows = 32;

struct RoleLook {
  const char* role;
  const char* word;
  Tone tone;
};
constexpr RoleLook kLooks[] = {{"root_cause", "root cause", Tone::kRed},
                               {"victim", "victim", Tone::kYellow},
                               {"stopped", "stopped", Tone::kDim},
                               {"fine", "", Tone::kPlain}};

const RoleLook& look_of(const Json& rank) {
  const std::string role = text_field(rank, "role");
  for (const RoleLook& look : kLooks) {
    if (role == look.role) return look;
  }
  return kLooks[3];
}

std::string end_of(const Json& rank) {
  const Json& signal = child(rank, "signal");
  if (signal.is_number_integer()) return signal_text(signal.get<std::int64_t>());
  const std::string code = text_field(rank, "exit_code");
  return code.empty() ? "" : fmt::format("exit code {}", code);
}

bool is_telling(const Json& rank) {
  const std::string role = text_field(rank, "role");
  return role == "root_cause" || role == "victim" || text_field(rank, "state") == "lost";
}

std::string line_of(const Json& ranks, const char* role, const char* what, const Style& style) {
  std::vector<int> numbers;
  for (const Json& rank : ranks) {
    if (text_field(rank, "role") == role) numbers.push_back(child(rank, "rank").get<int>());
  }
  if (numbers.empty()) return "";
  return style(Tone::kDim, fmt::format("  {} {}", ranks_text(numbers), what)) + "\n";
}

}  // namespace

std::string rank_table(const Json& ranks, int width, const Style& style) {
  TextTable table({{"  RANK", true}, {"NODE", false, true}, {"STATE"}, {"ENDED"}, {"ROLE"}});
  std::size_t left_out = 0;
  for (const Json& rank : ranks) {
    if (ranks.size() > kMostRows && !is_telling(rank)) {
      ++left_out;
      continue;
    }
    const RoleLook& look = look_of(rank);
    const std::string state = text_field(rank, "state");
    table.add({text_field(rank, "rank"), text_field(rank, "node"),
               {state, state == "lost" ? Tone::kRed : Tone::kPlain}, end_of(rank), {look.word, look.tone}});
  }
  std::string out = table.empty() ? "" : table.text(style, width);
  if (left_out > 0) {
    out += style(Tone::kDim, fmt::format("  {}{} ranks", left_out, table.empty() ? "" : " other")) + "\n";
  }
  return out;
}

std::string others_text(const Json& ranks, const Style& style) {
  if (!ranks.is_array()) return "";
  return line_of(ranks, "victim", "failed because of it", style) +
         line_of(ranks, "stopped", "still ran and had to be ended", style);
}

}  // namespace roost
