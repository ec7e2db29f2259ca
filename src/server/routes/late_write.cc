#include "server/routes/late_write.h"

#include <fmt/format.h>

#include "records/run_records.h"

namespace roost {

Status note_late_write(Tx& tx, const Run& run, const Principal& who, std::string_view what, Micros now) {
  if (!is_terminal(run.status)) return {};
  // Its script may still be at work for a moment when the end is recorded.
  if (who.run_row == run.seq) return check_not_ended(run);
  const std::string reason = fmt::format("after the end: {} by {}", what, who.name);
  // A folder of files is one change, not a thousand.
  ROOST_TRY(const std::string last, newest_reason(tx, run.seq));
  return last == reason ? Status() : note_event(tx, run, reason, now);
}

Status check_not_ended(const Run& run) {
  if (!is_terminal(run.status)) return {};
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("run {} has ended already ({}): what it logged is final", run.id, status_name(run.status)));
}

}  // namespace roost
