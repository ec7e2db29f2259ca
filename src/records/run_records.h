#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/database.h"
#include "domain/run.h"
#include "records/run_set.h"

namespace roost {

// Rows of the run history and their values. All work inside a caller's transaction.

Result<Run> find_run(Tx& tx, std::string_view id);  // kNotFound with how to list runs
Result<Run> run_by_row(Tx& tx, std::int64_t seq);
Result<RunStatus> run_status(Tx& tx, std::int64_t seq);

// Inserts a new run in state Starting with its first event; sets seq and number.
Status insert_run(Tx& tx, Run& run);

// The only way a run changes state: checks the table, writes run and event. Also stores whatever else
// was changed in `run` (attempt, node, exit code, error, times).
Status move_run(Tx& tx, Run& run, RunStatus to, std::string_view reason, Micros at);
// The same for a status that lasts no longer than this transaction: the event is there, the row follows with the next
// move_run() or save_run(), which must come.
Status pass_status(Tx& tx, Run& run, RunStatus to, std::string_view reason, Micros at);
// An interactive run that has ended goes on, as MLflow's clients may ask for those they made: the only way out of an end.
Status resume_run(Tx& tx, Run& run, std::string_view reason, Micros at);
// An event without a change of state: something happened to the run that its history must show.
Status note_event(Tx& tx, const Run& run, std::string_view reason, Micros at);
// Stores `run`'s changeable fields without a change of state.
Status save_run(Tx& tx, const Run& run);
Status replace_tags(Tx& tx, Run& run, Json tags);
// Whether it may be given nodes; an event must follow in the same transaction, for the queue.
Status set_held(Tx& tx, Run& run, bool held);
Status add_notice(Tx& tx, Run& run, const std::string& notice);

// Has the run table offer this column: `kind` is "metrics", "params" or "tags". It stays on offer when the last
// run that had it loses it.
Status know_column(Tx& tx, std::string_view workspace, std::string_view kind, std::string_view name);

Result<std::vector<RunEvent>> run_events(Tx& tx, std::int64_t seq);
// Those that came after the event `after`.
Result<std::vector<RunEvent>> run_events_after(Tx& tx, std::int64_t seq, std::int64_t after);
// The reason of the newest one.
Result<std::string> newest_reason(Tx& tx, std::int64_t seq);
Result<Micros> newest_event_time(Tx& tx, std::int64_t seq);
// The run's input of that name is this content.
Status insert_input(Tx& tx, const Run& run, const std::string& name, const std::string& content);

struct RunFilter {
  std::string workspace;
  std::string experiment;
  std::vector<std::string> statuses;
  // Each "key" or "key=value".
  std::vector<std::string> tags;
  std::string name;  // part of the display name or id
  std::string compute;
  std::string parent;
  bool top_level = false;  // only runs without a parent
  InBin bin = InBin::kLeftOut;
  std::string type;
  // Each "key" or "key=value".
  std::vector<std::string> properties;
  std::optional<std::int64_t> family_of;  // row: only that run, those below and above it, and its siblings
  std::optional<Micros> created_after;
  std::optional<Micros> created_before;
  std::int64_t limit = 50;
  std::optional<std::int64_t> before_seq;  // the cursor
};

// The run in this row, those below and above it, and its siblings.
Result<RunSet> family_rows(Tx& tx, std::int64_t row);

struct RunPage {
  std::vector<Run> runs;  // newest first
  std::optional<std::int64_t> next;
};
Result<RunPage> list_runs(Tx& tx, const RunFilter& filter);

// Runs that wait for a node of this compute, the one to start first in front.
Result<std::vector<Run>> waiting_runs(Tx& tx, std::string_view workspace, std::string_view compute,
                                      std::int64_t limit);
// How many wait for a node of this compute; not counted further than `most`.
Result<std::int64_t> count_waiting(Tx& tx, std::string_view workspace, std::string_view compute,
                                   std::int64_t most);
// How many runs are in each state that is not an end.
Result<std::vector<std::pair<std::string, std::int64_t>>> count_active_by_status(Tx& tx);
// All runs that have not ended.
Result<std::vector<Run>> active_runs(Tx& tx);

}  // namespace roost
