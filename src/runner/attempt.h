#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "domain/lease.h"
#include "domain/rank_plan.h"
#include "runner/attempt_orders.h"
#include "runner/launch.h"
#include "runner/mpi_node.h"
#include "runner/node_settings.h"
#include "runner/notices.h"
#include "runner/rendezvous.h"
#include "runner/server_link.h"
#include "runner/side_door.h"
#include "runner/stream_files.h"

namespace roost {

// In the folder ROOST_SPOOL: to it the SDK appends a secret as a line of JSON before it gives it to the script.
inline constexpr const char* kMasksFile = "secrets";

// How an attempt went, as its report will say.
struct Outcome {
  std::string outcome = "exited";
  std::string message;
  Micros exited = 0;  // when its processes ended, by the attempt's monotonic clock
  Json outputs = Json::array();
  Notices notices;  // what could not be kept

  void fail(std::string what, const Error& error, Micros steady) {
    outcome = std::move(what);
    message = error.message;
    exited = steady;
  }
};

// Below the folder of an attempt: what the runner read from files for TensorBoard (EventReader), as a spool.
inline constexpr const char* kEventSpool = "tensorboard";

// One process of the run on this node, and how it ended.
struct Rank {
  RankProcess process;
  std::filesystem::path log;
  std::optional<ProcessEnd> end;
  bool stopped = false;  // it still ran when the others were ended
  bool out_of_memory = false;
};

// What the hooks of one attempt share: the facts of its order, its connection, and what one hook leaves for the next.
// AttemptRun calls the hooks in their order, on one thread; other threads use `orders`, `supervisor` and `bytes_shipped`
// only. `given` and `time` must outlive it.
struct Attempt {
  Attempt(const NodeSettings& given, const Clock& time, Json the_order);
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  // Where the server hears of it: path("ready") is "/attempts/RUN/1/ready".
  std::string path(const std::string& what) const;
  // Until the server took it; for two minutes if it answers otherwise than it should.
  Result<Json> call(const std::string& what, const Json& body);
  // How long ago that was on the monotonic clock. What the server hears of times is this: this machine's calendar may be
  // wrong or be set meanwhile. Worked out anew for each try.
  Micros ago(Micros steady) const { return std::max(Micros(0), clock.steady() - steady); }
  // One try. An answer that the attempt was given up abandons it.
  Result<Json> tell(const std::string& what, const Json& body);

  // If the node is taken away: SIGTERM, the grace, and what the attempt has done so far is saved. It is reported as
  // evicted and goes on elsewhere; on a node of Slurm nothing is reported, because only the server can learn why.
  void look_for_eviction();
  // False if the attempt was told to end before `is_there`.
  bool wait_until(const std::function<bool()>& is_there);

  std::filesystem::path code() const { return folder / "code"; }
  // Those it may use, as CUDA_VISIBLE_DEVICES names them.
  std::vector<std::string> gpus() const;
  std::string user() const { return text_at(order, "user"); }
  // The run's copy of the server file, without what opens the server.
  std::filesystem::path server_copy() const { return settings.folder / "server" / "server.json"; }

  const NodeSettings& settings;
  const Clock& clock;
  Json order;  // changed by staging alone
  const std::string run_id;
  const std::int64_t number;
  const Gang gang;
  const int node_rank;
  const std::optional<Lease> lease;  // what of the machine is its own; none where another engine sees to that
  const std::filesystem::path folder;  // of this attempt, with all that it makes on this node
  const std::filesystem::path shared;  // of this attempt's nodes on this machine, for the older PyTorch contract

  AttemptOrders orders;
  bool is_evicted = false;
  ServerLink server;
  StreamFiles streams;
  std::optional<MpiNode> mpi;

  // Left by stage.
  Fd environment;                              // says that a copy of it is in use
  std::vector<std::filesystem::path> outside;  // what was laid out elsewhere, to be removed at the end; by meet, too
  // Left by meet.
  std::optional<PortHold> ports;
  std::vector<NodeFacts> nodes;  // of the whole gang
  std::vector<Rank> ranks;       // of this node
  // Left by launch.
  std::optional<timespec> launched;    // when its processes were started, as files are stamped
  std::optional<Micros> started;       // the same by the monotonic clock
  std::atomic<int> supervisor = 0;     // its pid while processes run
  SideDoor side_door;                  // open while they do
  bool may_processes_be_left = false;  // when all is over
  Json failure;                        // the first rank that failed here, with "told" once the server has heard of it
  // Counted by stream.
  std::atomic<std::int64_t> bytes_shipped = 0;
};

}  // namespace roost
