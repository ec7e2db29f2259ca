#include "cli/show/run_table.h"

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"

namespace roost {

TextTable run_table(const Json& runs, Micros now) {
  TextTable table({{"RUN", false, false, true},
                   {"EXPERIMENT", false, true},
                   {"STATUS"},
                   {"CREATED"},
                   {"DURATION", true},
                   {"COMPUTE", false, true},
                   {"NAME", false, true},
                   {"TAGS", false, true}});
  for (const Json& run : runs) {
    const std::string id = text_field(run, "id");
    const std::string status = text_field(run, "status");
    const std::string name = text_field(run, "display_name");
    const auto created = time_field(run, "created_at");
    const auto seconds = run_seconds(run, now);
    table.add({id,
               text_field(run, "experiment"),
               {status, status_tone(status)},
               created ? time_ago(*created, now) : "",
               seconds ? human_duration(*seconds) : "",
               text_field(run, "compute"),
               name == id ? "" : name,
               {tags_text(child(run, "tags")), Tone::kDim}});
  }
  return table;
}

}  // namespace roost
