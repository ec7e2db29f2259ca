#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "domain/rank_plan.h"
#include "runner/collect_outputs.h"
#include "runner/hang_watch.h"
#include "runner/launch.h"
#include "runner/mpi_node.h"
#include "runner/notices.h"
#include "runner/output_keeper.h"
#include "runner/rendezvous.h"
#include "runner/server_link.h"
#include "runner/spare_folder.h"

namespace roost {

struct NodeSettings {
  std::string node;
  std::string server_file;
  std::string data_id;  // of the server that is believed
  std::filesystem::path folder;  // this node's own
  std::filesystem::path cache;   // shared by the nodes of this machine
  std::filesystem::path sdk;     // for PYTHONPATH
  std::filesystem::path mpi_helper;  // the program roost-mpi
  std::string address = "127.0.0.1";  // by which the other nodes of a run reach this one
  std::string gpus;              // for CUDA_VISIBLE_DEVICES
  bool machine_has_gpus = false;
  unsigned mask = 022;  // the umask that runs on this machine have, in no image
  bool joined = false;  // on a machine that may share nothing with the server
  std::unique_ptr<SpareFolder> spare;  // for the attempts, one after another
  std::unique_ptr<SpareClient> spare_client = std::make_unique<SpareClient>();  // likewise
  std::function<bool()> is_evicted;  // whoever gave this node takes it back
  std::function<int()> evict_grace;  // seconds that its processes have then
  // inotify; one for all attempts, because closing it takes the kernel 10 ms
  Fd output_watch;
  Fd mpi_watch;  // apart, because what mpirun asks for cannot wait as the output can
};

// One attempt of a run on this node, from staging to the report: all its processes here, or its share
// of them if the run has several nodes. run() must be called on the runner's main thread; the
// orders below may come from others.
class AttemptRun {
 public:
  AttemptRun(const NodeSettings& settings, Json order);
  ~AttemptRun();

  // stage inputs -> meet the other nodes -> launch -> stream while it runs -> collect outputs -> report
  // -> clean up. Goes on however long the server is away. Ends without a report once the attempt was
  // given up.
  void run();

  // Every node of the run is ready: these are their facts, by node rank.
  void go(const Json& nodes);
  // MPI: mpirun on the first node wants this command to be started here.
  void exec(const std::string& command);
  // MPI: the command that was asked for on another node ended.
  void command_ended(const std::string& node, int exit_code);
  // A process elsewhere failed, or a node was lost: SIGTERM, and SIGKILL after the grace.
  void stop(int grace_seconds);

  // SIGTERM to everything the attempt runs, SIGKILL after the grace.
  void cancel(int grace_seconds);
  // The server wants nothing more of this attempt: end it at once.
  void abandon();
  // The node is taken away: SIGTERM, the grace, and what the attempt has done so far is saved. It is reported as
  // evicted and goes on elsewhere; on a node of Slurm nothing is reported, because only the server can learn why.
  void evict();
  // There is no more time to send what is left: it stays on the disk.
  void stop_sending();

  // Where its Python processes are now; empty while none run.
  Json take_stacks() const;
  // For how long it has got nowhere (HangWatch), as far as one can tell by calling this every few seconds, always on
  // the same thread. May take half a second.
  double idle_seconds();

  const std::string& run_id() const { return run_id_; }
  std::int64_t attempt() const { return attempt_; }
  int node_rank() const { return node_rank_; }

 private:
  struct Outcome {
    std::string outcome = "exited";
    std::string message;
    Micros exited = 0;
    Json outputs = Json::array();
    Notices notices;  // what could not be kept

    void fail(std::string what, const Error& error) {
      outcome = std::move(what);
      message = error.message;
      exited = SystemClock().now();
    }
  };
  // One process of the run on this node, and how it ended.
  struct Rank {
    RankProcess process;
    std::filesystem::path log;
    std::optional<ProcessEnd> end;
    bool stopped = false;  // it still ran when the others were ended
    bool out_of_memory = false;
  };
  Status stage(Notices& notices);
  Status stage_data(int code);
  Result<Fd> input_folder(int code, const std::string& name, const std::filesystem::path& place);
  void remove(const std::filesystem::path& folder);
  std::filesystem::path input_path(const Json& input) const;
  std::string told_path(const Json& input) const;
  void add_input_paths(std::map<std::string, std::string>& variables) const;
  void add_bare_names(std::map<std::string, std::string>& variables) const;
  // False if the attempt ended before its processes could start.
  Result<bool> meet();
  // False if the attempt was ended before `is_there`.
  bool wait_until(const std::function<bool()>& is_there);
  void follow(Outcome& outcome);
  // Takes note of processes that ended; true if one failed and the others have to end now.
  bool note_ends(Launched& launched, Outcome& outcome);
  void tell_start();
  void tell_failure();
  Result<std::map<std::string, std::string>> common_variables();
  Result<LaunchSpec> launch_spec();
  Result<struct ImageRoot> image_root() const;
  // What of this machine a run that is in no image does not see.
  Result<HiddenFolders> hidden_folders() const;
  // Has the run find the server where it is now, by a copy of the server file without what opens it.
  Status show_server();
  std::filesystem::path server_copy() const;
  Result<std::vector<LaunchProcess>> mpi_processes(const std::vector<LaunchProcess>& ranks,
                                                   const std::map<std::string, std::string>& common);
  // On a node after the first: waits for the daemon's command and adds it. False if the attempt ended before.
  bool await_mpi_command(LaunchSpec& spec);
  // Between mpirun and the other nodes: what it asks of them, and what became of it.
  void relay_for_mpi();
  // The ends of ranks that were not noted yet, the first one first; that of mpirun or its daemon is kept.
  std::vector<ProcessEnd> take_mpi_ends(Launched& launched);
  void conclude_mpi(Outcome& outcome);
  // Ships until the server has everything. False if the attempt was given up meanwhile. With a server whose disk is full
  // it ends early, at once or when nobody wants to wait longer; is_server_full_ tells.
  bool ship_all(bool wait_for_space);
  OutputTree outputs() const;
  bool has_outputs() const;
  void report(Outcome& outcome);
  // False if the attempt was given up meanwhile.
  bool collect(Outcome& outcome);
  // Until the server has it: nothing of the attempt goes before.
  void send_report(Outcome& outcome);
  void note_eviction(Outcome& outcome);
  void save_outputs();
  Json rank_reports() const;
  Result<Json> call(const std::string& what, const Json& body);

  const NodeSettings& settings_;
  Json order_;  // changed by staging alone
  const std::string run_id_;
  const std::int64_t attempt_;
  const Gang gang_;
  const int node_rank_;
  std::filesystem::path folder_;
  std::filesystem::path shared_;  // of this attempt's nodes on this machine, for the older PyTorch contract
  std::optional<PortHold> ports_;
  std::optional<MpiNode> mpi_;
  std::vector<MpiNode::Ask> asks_;          // not passed on yet
  std::optional<ProcessEnd> launcher_end_;  // of mpirun or its daemon
  std::vector<NodeFacts> nodes_;  // of the whole gang, once they have met
  std::vector<Rank> ranks_;       // of this node
  Json failure_;                  // the first rank that failed here, until the server has heard of it
  bool may_processes_be_left_ = false;
  std::optional<timespec> launched_;  // when its processes were started
  Fd environment_;                // says that a copy of it is in use
  std::vector<std::filesystem::path> outside_;  // what was laid out, to be removed at the end
  Micros stopping_since_ = 0;  // when the processes here were told to end
  std::atomic<bool> abandoned_ = false;
  std::atomic<bool> keep_ = false;  // what is left stays on the disk
  bool start_told_ = false;
  std::chrono::steady_clock::time_point next_tell_;  // of the start, once that was not heard
  std::atomic<bool> evicted_ = false;
  std::atomic<int> cancel_grace_ = -1;
  std::atomic<int> supervisor_ = 0;           // its pid while processes run
  std::atomic<std::int64_t> bytes_shipped_ = 0;
  HangWatch watch_;
  std::atomic<int> stop_grace_ = -1;
  std::mutex met_mutex_;
  Json met_;  // what go() brought
  std::optional<std::string> command_;                    // what exec() brought
  std::vector<std::pair<std::string, int>> ended_there_;  // what command_ended() brought
  Fd wake_;
  ServerLink server_;
  std::unique_ptr<class StreamFiles> streams_;
  SpaceWait space_for_outputs_;
  SpaceWait space_for_logs_;
  bool is_server_full_ = false;
  std::optional<OutputKeeper> keeper_;
};

}  // namespace roost
