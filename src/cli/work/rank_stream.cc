#include "cli/work/rank_stream.h"

#include <deque>

#include <fmt/format.h>

#include "base/files.h"
#include "cli/show/rank_prefix.h"
#include "cli/show/run_text.h"
#include "cli/work/follow.h"
#include "cli/work/run_reference.h"

namespace roost {
namespace {

struct RankLine {
  int rank = 0;
  Json event;
  std::string text;
};

// The last `count` lines of what there is; moves the offsets of `choice` behind them.
Result<std::deque<RankLine>> last_lines(Console& console, const Json& run, RankChoice& choice,
                                        std::size_t count) {
  std::deque<RankLine> lines;
  ROOST_TRY(ApiClient * client, console.client());
  const std::string path = run_path(run, fmt::format("/follow?{}&live=false", choice.query()));
  ROOST_CHECK(client->stream_lines(path, [&](std::string_view text) {
    const auto event = parse_json(text, "the server's event");
    if (!event || text_field(*event, "type") != "log" || !child(*event, "rank").is_number_integer()) return true;
    const int rank = child(*event, "rank").get<int>();
    choice.offsets[rank] = child(*event, "offset").get<std::uint64_t>();
    std::string rest = text_field(*event, "text");
    while (!rest.empty()) {
      const std::size_t newline = rest.find('\n');
      const std::size_t end = newline == std::string::npos ? rest.size() : newline + 1;
      lines.push_back({rank, *event, rest.substr(0, end)});
      rest.erase(0, end);
      if (lines.size() > count) lines.pop_front();
    }
    return true;
  }));
  return lines;
}

Status print_tail(Console& console, const Json& run, RankChoice& choice, std::size_t count) {
  ROOST_TRY(auto lines, last_lines(console, run, choice, count));
  RankPrefix prefix(choice.count, is_terminal(1), console.out());
  std::string out;
  for (RankLine& line : lines) {
    if (console.json()) {
      line.event["text"] = line.text;
      out += to_text(line.event) + "\n";
    } else {
      out += prefix.mark(line.rank, line.text);
    }
  }
  return write_all(1, out + prefix.finish(), "standard output");
}

}  // namespace

Result<int> print_ranks(Console& console, const Json& run, RankChoice choice, bool follow,
                        std::optional<std::size_t> tail) {
  if (tail) ROOST_CHECK(print_tail(console, run, choice, *tail));
  if (tail && !follow) return 0;
  InterruptWatch watch;
  return follow_ranks(console, text_field(run, "id"), choice, follow, watch);
}

}  // namespace roost
