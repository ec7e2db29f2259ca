#include "domain/root_cause.h"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "domain/exit_text.h"
#include "domain/launcher_log.h"

namespace roost {
namespace {

// A rank with what its output says.
struct Seen {
  const RankEnd* end = nullptr;
  std::optional<WorkerFailure> worker;  // of a launcher
  std::optional<Traceback> traceback;
  bool failed = false;
  bool secondary = false;
  bool timeout = false;
  bool unseen = false;  // its launcher ended it before anybody saw how it would end
};

bool is_crash(std::optional<std::int64_t> signal) {
  return signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS || signal == SIGILL || signal == SIGFPE;
}

Seen look_at(const RankEnd& end) {
  Seen seen;
  seen.end = &end;
  if (end.succeeded()) return seen;
  seen.worker = launcher_failure(end.output);
  seen.traceback = seen.worker ? seen.worker->traceback : last_traceback(end.output);
  // Whoever was told to end and did so without a word of his own did not fail.
  seen.failed = !end.stopped || is_crash(end.signal) || (end.exit_code && (seen.traceback || seen.worker));
  seen.unseen = !end.exit_code && !end.signal;
  if (!seen.failed && !seen.unseen) {
    seen.traceback.reset();
    seen.worker.reset();
  }
  const std::string said = seen.traceback ? heading_of(seen.traceback->exception) : "";
  seen.timeout = is_timeout(said);
  // SIGTERM that did not come from us came from a launcher that ends the rest after a failure.
  if (seen.worker) {
    seen.secondary = seen.worker->secondary;
    return seen;
  }
  seen.secondary = is_secondary(said) || end.signal == SIGTERM || end.exit_code == 128 + SIGTERM;
  return seen;
}

const Seen* earliest(const std::vector<Seen>& all, auto&& is_one) {
  const Seen* first = nullptr;
  for (const auto& seen : all) {
    if (is_one(seen) && (!first || seen.end->ended < first->end->ended)) first = &seen;
  }
  return first;
}

std::string who(const RankEnd& end) { return fmt::format("rank {} on {}", end.rank, end.node); }

// mpirun ends a rank that called for the end of all as it ends the others. If nobody else can be blamed, what such
// a rank wrote last is why.
void blame_by_last_words(std::vector<Seen>& all) {
  const bool has_culprit =
      std::any_of(all.begin(), all.end(), [](const Seen& seen) { return seen.failed && !seen.secondary; });
  for (auto& seen : all) {
    const bool by_launcher = seen.unseen || (seen.end->signal == SIGTERM && !seen.end->stopped);
    if (by_launcher && !has_culprit && seen.traceback && !is_secondary(heading_of(seen.traceback->exception))) {
      seen.failed = true;
      seen.secondary = false;
    }
    if (!seen.failed) seen.traceback.reset();
  }
}

// Why it failed, as far as its output tells; "" if it does not.
std::string reason_of(const Seen& seen) {
  if (!seen.traceback) return seen.worker ? seen.worker->text() : "";
  if (!seen.worker || !seen.worker->rank) return seen.traceback->exception;
  return fmt::format("{} (in its process of rank {})", seen.traceback->exception, *seen.worker->rank);
}

std::string failure_text(const Seen& seen) {
  const RankEnd& end = *seen.end;
  const std::string how = seen.unseen ? "failed" : end_text(end.exit_code, end.signal, end.out_of_memory);
  const std::string reason = reason_of(seen);
  return fmt::format("{} {}{}{}", who(end), how, reason.empty() ? "" : ": ", reason);
}

}  // namespace

std::string_view rank_role_name(RankRole role) {
  switch (role) {
    case RankRole::kFine: return "fine";
    case RankRole::kCulprit: return "root_cause";
    case RankRole::kVictim: return "victim";
    case RankRole::kStopped: return "stopped";
  }
  return "fine";
}

std::optional<RootCause> find_root_cause(const std::vector<RankEnd>& ranks) {
  std::vector<Seen> all;
  for (const auto& end : ranks) all.push_back(look_at(end));
  blame_by_last_words(all);
  const auto failed = [](const Seen& seen) { return seen.failed; };
  const Seen* first = earliest(all, failed);
  if (!first) return std::nullopt;

  RootCause cause;
  const Seen* late = earliest(all, [&](const Seen& seen) { return failed(seen) && seen.timeout; });
  const Seen* culprit = earliest(all, [&](const Seen& seen) { return failed(seen) && !seen.secondary; });
  cause.certain = culprit != nullptr;
  if (culprit) {
    cause.message = failure_text(*culprit);
  } else if (const Seen* early = earliest(all, [&](const Seen& seen) {
               return seen.end->succeeded() && !seen.end->stopped && seen.end->ended < first->end->ended;
             }); early && !late) {
    culprit = early;
    cause.message = fmt::format("{} ended with exit code 0 while the others still needed it; they say: {}",
                                who(*early->end), first->traceback ? first->traceback->exception : "nothing");
  } else if (const Seen* absent = earliest(all, [](const Seen& seen) { return seen.end->stopped && !seen.failed; });
             absent && late) {
    culprit = absent;
    cause.message = fmt::format("{} did not answer the others in time: {} gave up with {}", who(*absent->end),
                                who(*late->end), late->traceback->exception);
  } else {
    culprit = first;
    cause.message = failure_text(*first) + " (it looks as if a peer had gone away, but none failed on its own)";
  }
  cause.rank = culprit->end->rank;
  cause.node = culprit->end->node;
  cause.traceback = culprit->traceback;
  cause.why = reason_of(*culprit);
  for (const auto& seen : all) {
    RankRole role = RankRole::kFine;
    if (&seen == culprit) {
      role = RankRole::kCulprit;
    } else if (seen.failed) {
      role = RankRole::kVictim;
    } else if (seen.end->stopped) {
      role = RankRole::kStopped;
    }
    cause.roles.push_back(role);
  }
  return cause;
}

}  // namespace roost
