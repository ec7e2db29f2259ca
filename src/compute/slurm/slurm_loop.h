#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "access/access.h"
#include "base/ages.h"
#include "base/wake.h"
#include "compute/slurm/slurm_cluster.h"
#include "db/database.h"
#include "domain/compute.h"
#include "domain/run.h"
#include "domain/wait_estimate.h"
#include "records/allocation_records.h"
#include "records/changes.h"
#include "records/node_watch.h"
#include "records/placement.h"

namespace roost {

inline bool is_slurm(const Compute& compute) { return compute.slurm.is_object(); }

inline bool is_of_job(const Node& node) { return !node.allocation.empty(); }

inline bool is_waiting(const Run& run) {
  return run.status == RunStatus::kQueued || run.status == RunStatus::kProvisioning;
}

// How this server and the nodes of the cluster find one another.
struct SlurmJobSettings {
  double poll_seconds = 1;
  std::string url;          // by which the runners find the server
  std::string certificate;  // the server's, as a file; "" without TLS
  std::string folder;       // where the nodes work; "" for one below $TMPDIR
  std::string program;      // roost itself, for nodes that lack it
  double heartbeat_seconds = 2;
  int cancel_grace_seconds = 10;
};

// What talking to Slurm needs. Built by the object graph; everything in it is thread-safe and outlives it.
struct SlurmParts {
  Database& db;
  const Access& access;  // makes the tokens of jobs
  Changes& changes;
  NodeWatch& nodes;
  Placement& placement;
  Wake& wake;
  const Clock& clock;
  const ServingTime& serving;
  SlurmJobSettings settings;
};

// The one thread that talks to Slurm: slurm_loop.cc hands runs in and ends jobs, slurm_poll.cc hears what became of
// them. Every run that waits on a Slurm compute gets a job of its own, at once, so that Slurm's queue and priorities decide; runners that come up in the job become nodes, and
// when all are there the run starts on them. What it decides by is in the database and in Slurm's queue:
// after a crash of either it looks at both and carries on. Jobs are known by the name Roost gave them.
class SlurmLoop {
 public:
  SlurmLoop(SlurmParts parts, SlurmCluster& cluster);
  ~SlurmLoop() { stop(); }

  void start();
  void stop();
  // `roost down`: no job is left.
  void end_all();
  // Puts what Slurm says of the runs that wait in place of what was estimated.
  Status explain(Tx& tx, const Compute& compute, std::vector<WaitEstimate>& waits) const;

 private:
  // Why runs of this compute are not even in Slurm's queue; "" if there is nothing to say.
  std::string trouble(const std::string& workspace, const std::string& compute) const;
  using Key = std::pair<std::string, std::int64_t>;  // name and index of an allocation
  struct View {
    std::vector<Compute> computes;
    std::map<std::string, std::vector<Run>> waiting;  // by compute; those that have no job yet
    std::vector<Allocation> allocations;
    std::map<std::string, std::vector<Node>> nodes;   // by allocation
    std::map<std::int64_t, Run> runs;                 // of the allocations
    std::set<std::string> over;                       // allocations whose attempt has ended
  };

  void run(std::stop_token stop);
  bool pass();
  Status look(View& view);
  void end_unneeded(View& view);
  void begin_end(Allocation& allocation, const std::vector<Node>& nodes);
  void start_ready(View& view);
  void remove_deleted(const View& view);
  void submit_waiting(const View& view);
  void submit(const Compute& compute, const std::vector<Run>& runs);
  void refuse(const std::vector<Run>& runs, const Compute& compute, const std::string& words);
  void poll();
  void take_note(const Allocation& allocation, const SlurmJob* job);
  void note_waiting(const Allocation& allocation, const SlurmJob& job);
  void note_end(const Allocation& allocation, const SlurmJob& job);
  void forget(const Allocation& allocation, const std::string& reason);
  Status preempt(Tx& tx, const Allocation& allocation, const std::string& words);
  bool may_be_mistaken(const Allocation& allocation) const;
  void watch_hosts();
  void set_trouble(const Compute& compute, const std::string& words);

  const SlurmParts parts_;
  SlurmCluster& cluster_;
  const std::string prefix_;  // of the names of this server's jobs
  mutable std::mutex trouble_mutex_;
  std::map<std::string, std::string> trouble_;  // by workspace/compute
  Ages ages_;                                   // of allocations
  std::map<std::string, Micros> not_before_;    // by workspace/compute; by the monotonic clock, as what follows
  std::map<std::int64_t, int> false_starts_;    // by run
  std::map<std::string, std::optional<Micros>> canceled_;  // by allocation, when scancel was last called; it is due
  std::map<std::string, int> unlisted_;         // by allocation, how often in a row Slurm did not know it
  std::map<std::string, Micros> last_submitted_;  // by workspace/compute
  bool again_soon_ = false;
  bool has_any_ = true;  // computes or jobs, at the last look
  Micros next_poll_ = 0;
  std::string program_digest_;
  std::jthread thread_;
};

}  // namespace roost
