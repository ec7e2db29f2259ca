#include "execute/conclude_attempt.h"

#include <algorithm>

#include <fmt/format.h>

#include "domain/finish_report.h"
#include "domain/rank_plan.h"
#include "domain/root_cause.h"
#include "execute/attempts.h"
#include "execute/preempt.h"
#include "execute/finish_run.h"
#include "records/artifact_records.h"
#include "records/attempt_records.h"
#include "records/run_records.h"

namespace roost {
namespace {

// Ranks that miss a lost node fail before its loss is known; those that failed earlier did so by themselves.
constexpr Micros kBeforeLoss = 2 * kSecond;

// The ranks of all nodes that reported, with the last of their output if they did not end well.
std::vector<RankEnd> ranks_of(const LogTails& tails, const Run& run, const Gang& gang,
                              const std::vector<AttemptPart>& parts) {
  std::vector<RankEnd> all;
  for (const auto& part : parts) {
    for (auto& rank : stored_report(part.report).ranks) {
      rank.node = part.node;
      if (!rank.succeeded()) rank.output = tails.of({run.id, run.attempt, rank_log(gang, rank.rank)}).text;
      all.push_back(std::move(rank));
    }
  }
  return all;
}

// Which part each rank played in the failure, for whoever looks at the ranks later.
Status keep_roles(Tx& tx, std::vector<AttemptPart>& parts, const std::vector<RankRole>& roles) {
  std::size_t next = 0;
  for (auto& part : parts) {
    if (!part.report.contains("ranks")) continue;
    for (auto& rank : part.report["ranks"]) {
      if (next < roles.size()) rank["role"] = rank_role_name(roles[next++]);
    }
    ROOST_CHECK(save_part(tx, part));
  }
  return {};
}

// Whether a preempted attempt was over before it could be stopped. A script that saves its state on SIGTERM
// may well end with 0: that is not the end of its work.
bool ended_by_itself(const std::vector<AttemptPart>& parts, const std::vector<RankEnd>& ranks) {
  const bool lost = std::any_of(parts.begin(), parts.end(),
                                [](const AttemptPart& part) { return part.state == PartState::kLost; });
  const bool stopped = std::any_of(ranks.begin(), ranks.end(), [](const RankEnd& rank) { return rank.stopped; });
  return !lost && !stopped && !ranks.empty();
}

RunEnd end_of(const LogTails& tails, const Run& run, const Gang& gang, const std::vector<AttemptPart>& parts,
              const std::vector<RankEnd>& ranks) {
  RunEnd end;
  end.is_gang = gang.processes() > 1;
  end.node = run.node.value_or("");
  for (const auto& part : parts) {
    const FinishReport report = stored_report(part.report);
    end.exited = std::max(end.exited, report.exited);
    if (end.outcome != "exited" || report.outcome == "exited" || report.outcome.empty()) continue;
    end.outcome = report.outcome;
    end.message = report.message;
    end.node = part.node;
  }
  end.cause = find_root_cause(ranks);
  // A rank that failed on its own explains why mpirun did.
  if (end.outcome == "launcher_failed" && end.cause && end.cause->certain) end.outcome = "exited";
  if (end.cause && end.outcome == "exited") end.node = end.cause->node;
  for (const auto& rank : ranks) {
    if (end.cause ? rank.rank != end.cause->rank : !rank.succeeded() && end.exit_code) continue;
    end.exit_code = rank.exit_code;
    end.signal = rank.signal;
    end.out_of_memory = rank.out_of_memory;
  }
  const int rank = end.cause ? end.cause->rank : 0;
  const std::string log = end.outcome == "launcher_failed" ? launcher_log(0) : rank_log(gang, rank);
  if (!end.succeeded()) end.last_lines = tails.of({run.id, run.attempt, log}).lines;
  return end;
}

// The outputs of all nodes that reported.
Status record_held_outputs(Tx& tx, const Run& run, std::vector<AttemptPart>& parts, Micros since, Micros now) {
  for (auto& part : parts) {
    ROOST_TRY(const FinishReport report, held_outputs(part.report, part.node_rank));
    ROOST_CHECK(record_outputs(tx, run, report, since, now));
    if (part.report.is_object() && part.report.erase("outputs") + part.report.erase("gone") > 0) {
      ROOST_CHECK(save_part(tx, part));
    }
  }
  return {};
}

}  // namespace

Status write_concluding(const ExecuteParts& execute, const std::function<Status(Tx&, const LogTails&)>& work) {
  LogTails tails;
  for (;;) {
    Status written = execute.db.write([&](Tx& tx) { return work(tx, tails); });
    if (written || !tails.is_incomplete()) return written;
    tails.read_missing(execute.read_tail);
  }
}

Status conclude_attempt(const ExecuteParts& execute, Tx& tx, const LogTails& tails, Run& run, Micros now) {
  ROOST_TRY(auto parts, attempt_parts(tx, run.seq, run.attempt));
  if (!std::all_of(parts.begin(), parts.end(), [](const AttemptPart& part) { return part.is_over(); })) return {};
  const Gang gang = gang_of_spec(run.spec);
  const auto ranks = ranks_of(tails, run, gang, parts);
  if (tails.is_incomplete()) return tails.incomplete();
  const RunEnd end = end_of(tails, run, gang, parts, ranks);
  if (tails.is_incomplete()) return tails.incomplete();
  if (end.cause && end.is_gang) ROOST_CHECK(keep_roles(tx, parts, end.cause->roles));

  execute.attempt_over(run.id, run.attempt);

  ROOST_TRY(const auto attempt, open_attempt(tx, run.seq));
  const auto record = [&] { return record_held_outputs(tx, run, parts, attempt ? attempt->created : now, now); };
  const auto lost = std::find_if(parts.begin(), parts.end(),
                                 [](const AttemptPart& part) { return part.state == PartState::kLost; });
  const bool is_decided = !run.cancel_reason.empty() || run.error.is_object();  // by cancel() or fail()
  if (attempt && attempt->preempted && !is_decided && !ended_by_itself(parts, ranks)) {
    if (lost == parts.end()) ROOST_CHECK(record());
    return requeue_preempted(tx, run, *attempt->preempted, now);
  }
  if (lost != parts.end()) {
    const auto culprit = std::find_if(ranks.begin(), ranks.end(), [&](const RankEnd& rank) {
      return end.cause && end.cause->certain && rank.rank == end.cause->rank && rank.ended + kBeforeLoss < lost->ended;
    });
    const bool failed_before = culprit != ranks.end();
    if (!failed_before) {
      const std::int64_t given_up = run.attempt;
      ROOST_CHECK(give_up_attempt(tx, run, text_at(lost->report, "lost", "a node was lost"), now));
      // What goes on goes on from the last sets.
      return is_terminal(run.status) && run.attempt == given_up ? record() : Status();
    }
  }
  ROOST_CHECK(record());
  ROOST_CHECK(finish_run(tx, run, end, now));
  return close_attempt(tx, run.seq, run.attempt);
}

}  // namespace roost
