#include "cli/show/timeline.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/text_width.h"
#include "cli/show/times.h"

namespace roost {
namespace {

// A state and every time the run was in it: a run that is tried again comes back to some.
struct Row {
  std::string name;
  std::vector<TimelineStage> stays;
  Micros total = 0;
  std::string time;
};

std::vector<Row> rows_of(const std::vector<TimelineStage>& stages) {
  std::vector<Row> rows;
  for (const TimelineStage& stage : stages) {
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == stage.name; });
    if (row == rows.end()) row = rows.insert(row, {stage.name, {}, 0, ""});
    row->stays.push_back(stage);
    row->total += stage.end - stage.start;
  }
  return rows;
}

}  // namespace

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
  std::vector<Row> rows = rows_of(stages);
  int name_width = 0;
  int time_width = 0;
  for (Row& row : rows) {
    row.time = human_duration(static_cast<double>(row.total) / kSecond);
    name_width = std::max(name_width, text_width(row.name));
    time_width = std::max(time_width, text_width(row.time));
  }
  const int room = std::clamp(width - name_width - time_width - 4, 8, 60);
  const auto place = [&](Micros time) {
    return static_cast<int>(std::lround(static_cast<double>(time - start) / whole * room));
  };
  std::string out;
  for (const Row& row : rows) {
    out += pad_text(row.name, name_width) + "  " + pad_text(row.time, time_width, true) + "  ";
    int at = 0;
    for (const TimelineStage& stay : row.stays) {
      const int first = std::max(at, std::min(place(stay.start), room - 1));
      const int last = std::max(place(stay.end), first + 1);
      std::string bar;
      for (int x = first; x < last; ++x) bar += "█";
      out += std::string(static_cast<std::size_t>(first - at), ' ') + style(status_tone(row.name), bar);
      at = last;
    }
    out += "\n";
  }
  return out;
}

}  // namespace roost
