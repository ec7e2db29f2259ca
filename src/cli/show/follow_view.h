#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/json.h"
#include "cli/show/rank_prefix.h"
#include "cli/show/status_line.h"
#include "cli/show/style.h"

namespace roost {

// What the build of a run's environment prints.
inline constexpr std::string_view kBuildLogName = "azureml-logs/20_image_build_log.txt";

// Shows a run as it happens: the script's output verbatim on standard output, everything else dimly
// on standard error, or with `json` the events themselves, one a line, on standard output. kBeside is
// for a run that is a means to an end: all of it goes to standard error. kNothing says only that the server is away.
class FollowView {
 public:
  enum class Shows { kEverything, kLogOnly, kBeside, kNothing };
  // `style` is for standard error, `out` for standard output.
  FollowView(const Style& style, bool json, Shows shows, const Style& out);

  // From now on log lines come from several of so many ranks, and are marked with theirs.
  void mark_ranks(int count) { prefix_.emplace(count, is_terminal(1), out_); }

  // One event of follow_run as it came and as it was parsed.
  void event(std::string_view line, const Json& event);
  void lost_server();
  void found_server();
  // A dim remark on a line of its own, in every mode.
  void say(const std::string& text);

 private:
  void status(std::string_view line, const Json& event);
  void log(std::string_view text);

  const Style style_;
  const bool json_;
  const Shows shows_;
  const Style out_;
  StatusLine line_;
  std::optional<RankPrefix> prefix_;
  std::string last_status_;
  std::set<std::string> seen_;  // status events, by their text
  bool at_line_start_ = true;
};

}  // namespace roost
