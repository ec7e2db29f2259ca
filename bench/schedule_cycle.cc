// How long a cycle of the scheduler takes on 1,000 nodes with a long queue: deciding alone, and with what it
// reads from a database. Prints JSON; times are the best of several in seconds, of this thread's CPU, so that
// others on the machine do not count.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/digest.h"
#include "base/files.h"
#include "db/database.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "records/workspace_records.h"
#include "schedule/plan.h"
#include "schedule/queue_mirror.h"

namespace roost {
namespace {

constexpr std::int64_t kNodes = 1000;
constexpr int kUsers = 100;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

template <class Work>
double best_of(int times, const Work& work) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    const double start = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

QueuedRun waiting(std::int64_t i) {
  return {1000 + i, i % 4, 1 + i % 8, (i % 3) * 600 * kSecond, 1000 + i, "user" + std::to_string(i % kUsers), false};
}

ComputeView cluster(std::int64_t idle) {
  ComputeView view;
  view.compute.max_nodes = kNodes;
  for (std::int64_t i = 0; i < kNodes; ++i) {
    Node node;
    node.id = "node" + std::to_string(i);
    node.enter(i < idle ? NodeState::kIdle : NodeState::kRunning, 0);
    view.nodes.push_back(std::move(node));
  }
  for (std::int64_t i = idle; i < kNodes; ++i) {
    view.running.push_back({1 + i, "user" + std::to_string(i % kUsers), 1, i, i % 2 ? std::optional(i * kSecond) : std::nullopt, false});
  }
  return view;
}

// `idle` of 1,000 nodes; the first run of the queue wants them all, so that every other has to be looked at.
Json decide(std::int64_t queued, std::int64_t idle, bool with_big) {
  RunQueue queue;
  if (with_big) queue.put({2000, 9, kNodes, 0, 0, "user0", false});
  for (std::int64_t i = 0; i < queued; ++i) {
    QueuedRun run = waiting(i + 10'000);
    if (with_big) run.limit = 0;  // nothing but the spare nodes, of which there are none
    queue.put(std::move(run));
  }
  ComputeView view = cluster(idle);
  view.waiting = &queue;
  Plan plan;
  const double seconds = best_of(7, [&] { plan = plan_compute(view, 5000 * kSecond); });
  return {{"queued", queued}, {"idle", idle}, {"everything_waits", with_big}, {"seconds", seconds}, {"steps", plan.steps},
          {"starts", plan.starts.size()}};
}

Status fill(Database& db, std::int64_t queued) {
  return db.write([&](Tx& tx) -> Status {
    ROOST_CHECK(insert_workspace(tx, "default", 1));
    ROOST_TRY(const Experiment experiment, insert_experiment(tx, "default", "birds", 1));
    Compute compute;
    compute.workspace = "default";
    compute.name = "big";
    compute.max_nodes = kNodes;
    ROOST_CHECK(insert_compute(tx, compute));
    for (std::int64_t i = 0; i < queued; ++i) {
      Run run;
      run.id = "birds_" + std::to_string(i);
      run.workspace = "default";
      run.experiment = "birds";
      run.experiment_row = experiment.row;
      run.compute = "big";
      run.created_by = "user" + std::to_string(i % kUsers);
      run.created = 1000 + i;
      // The last one goes first and wants everything: all others are looked at in vain.
      const bool is_big = i == queued - 1;
      run.priority = is_big ? 9 : i % 4;
      run.spec = {{"command", "true"}, {"node_count", is_big ? kNodes : 1 + i % 8},
                  {"arguments", Json::array({std::string(300, 'x')})}};
      run.environment = {{"python", "/usr/bin/python3"}, {"definition", std::string(1500, 'x')}};
      ROOST_CHECK(insert_run(tx, run));
      ROOST_CHECK(move_run(tx, run, RunStatus::kPreparing, "", run.created));
      ROOST_CHECK(move_run(tx, run, RunStatus::kQueued, "", run.created));
    }
    return {};
  });
}

Result<Json> with_database(std::int64_t queued) {
  const auto folder = std::filesystem::temp_directory_path() / ("schedule-cycle-" + random_hex(4));
  ROOST_CHECK(make_folders(folder));
  Json answer = {{"queued", queued}};
  {
    ROOST_TRY(const auto db, Database::open(folder / "roost.db"));
    ROOST_CHECK(fill(*db, queued));
    QueueMirror mirror;
    const auto refresh = [&] {
      (void)db->read([&](Tx& tx) { return mirror.refresh(tx, 5000 * kSecond); });
    };
    answer["first_read_seconds"] = best_of(1, refresh);
    answer["unchanged_seconds"] = best_of(20, refresh);
    std::int64_t moved = 0;
    const auto cycle = [&] {
      refresh();
      ComputeView view = cluster(1);
      view.waiting = mirror.queue("default", "big");
      (void)plan_compute(view, 5000 * kSecond);
    };
    double changed = 1e9;
    for (int i = 0; i < 20; ++i) {
      ROOST_CHECK(db->write([&](Tx& tx) -> Status {
        ROOST_TRY(Run run, find_run(tx, "birds_" + std::to_string(moved++)));
        return move_run(tx, run, RunStatus::kCanceled, "", 5000);
      }));
      changed = std::min(changed, best_of(1, cycle));
    }
    answer["cycle_after_a_change_seconds"] = changed;
  }
  ROOST_CHECK(remove_tree(folder));
  return answer;
}

}  // namespace
}  // namespace roost

int main(int count, char** words) {
  using namespace roost;
  const std::int64_t most = count > 1 ? std::atoll(words[1]) : 100'000;
  Json answer = {{"decide", Json::array()}};
  for (std::int64_t queued = most / 8; queued <= most; queued *= 2) answer["decide"].push_back(decide(queued, 1, true));
  answer["decide"].push_back(decide(most, kNodes, false));
  answer["decide"].push_back(decide(most, 500, true));
  auto database = with_database(most);
  if (!database) {
    std::fprintf(stderr, "%s\n", database.error().message.c_str());
    return 1;
  }
  answer["database"] = *database;
  std::printf("%s\n", answer.dump(1).c_str());
  return 0;
}
