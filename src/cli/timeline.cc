#include "cli/timeline.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/run_text.h"
#include "cli/text_width.h"
#include "cli/times.h"

namespace roost {

std::vector<TimelineStage> stages_of(const Json& events, Micros now) {
  std::vector<TimelineStage> stages;
  for (const Json& event : events) {
    const auto at = time_field(event, "at");
    if (!at) continue;
    if (!stages.empty()) stages.back().end = *at;
    stages.push_back({text_field(event, "to"), *at, now});
  }
  if (!stages.empty() && is_terminal_status(stages.back().name)) stages.pop_back();
  return stages;
}

std::string timeline(const std::vector<TimelineStage>& stages, int width, const Style& style) {
  if (stages.empty()) return "";
  const Micros start = stages.front().start;
  const auto whole = static_cast<double>(std::max<Micros>(1, stages.back().end - start));
  std::vector<std::string> times;
  int name_width = 0;
  int time_width = 0;
  for (const TimelineStage& stage : stages) {
    times.push_back(human_duration(static_cast<double>(stage.end - stage.start) / kSecond));
    name_width = std::max(name_width, text_width(stage.name));
    time_width = std::max(time_width, text_width(times.back()));
  }
  const int room = std::clamp(width - name_width - time_width - 4, 8, 60);
  std::string out;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto place = [&](Micros time) {
      return static_cast<int>(std::lround(static_cast<double>(time - start) / whole * room));
    };
    const int first = std::min(place(stages[i].start), room - 1);
    const int last = std::max(place(stages[i].end), first + 1);
    std::string bar;
    for (int x = first; x < last; ++x) bar += "█";
    out += pad_text(stages[i].name, name_width) + "  " + pad_text(times[i], time_width, true) +
           "  " + std::string(static_cast<std::size_t>(first), ' ') +
           style(status_tone(stages[i].name), bar) + "\n";
  }
  return out;
}

}  // namespace roost
