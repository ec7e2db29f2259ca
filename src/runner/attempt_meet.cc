#include "runner/attempt_meet.h"

#include <fcntl.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/files.h"
#include "base/log.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

// What this node says of itself.
Result<NodeFacts> own_facts(Attempt& attempt) {
  const NodeSettings& settings = attempt.settings;
  NodeFacts own{settings.node, settings.address, network_of(settings.address), {},
                settings.joined ? settings.node : machine_id(), ""};
  if (attempt.gang.is_single()) return own;
  ROOST_CHECK(make_folders(attempt.shared));
  // The first node was there first and is the last to need it.
  if (attempt.node_rank == 0) attempt.outside.push_back(attempt.shared);
  ROOST_TRY(attempt.ports, PortHold::take(kMasterPort, ports_needed(attempt.gang)));
  own.ports = attempt.ports->ports();
  own.shared = attempt.shared.parent_path().string();
  return own;
}

// False if the attempt was told to end before all were there.
Result<bool> await_others(Attempt& attempt, const NodeFacts& own) {
  const Json body = {{"node_rank", attempt.node_rank}, {"facts", node_facts_json(own)}};
  if (const auto told = attempt.call("ready", body); !told) {
    if (!is_given_up(told.error())) return fail(told.error());
    attempt.orders.abandon();
  }
  log_info("run {} attempt {}: ready, waiting for the other nodes", attempt.run_id, attempt.number);
  if (!attempt.wait_until([&] { return !attempt.orders.nodes().is_null(); })) return false;
  attempt.nodes.clear();
  for (const auto& node : attempt.orders.nodes()) {
    ROOST_TRY(NodeFacts facts, parse_node_facts(node));
    attempt.nodes.push_back(std::move(facts));
  }
  const int count = attempt.gang.nodes;
  if (attempt.nodes.size() != static_cast<std::size_t>(count) || attempt.node_rank < 0 || attempt.node_rank >= count) {
    return fail(ErrorCode::kInternal, fmt::format("the server named {} nodes for a run of {}, of which this is number {}",
                                                  attempt.nodes.size(), count, attempt.node_rank));
  }
  return true;
}

Status add_rank(Attempt& attempt, RankProcess process) {
  Rank rank;
  rank.log = attempt.mpi ? attempt.mpi->rank_log(process.rank) : attempt.folder / fmt::format("rank-{}.log", process.rank);
  rank.process = std::move(process);
  const Fd log(::open(rank.log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!log) return fail_errno(errno, "make the log file");
  attempt.streams.add_file(rank_log(attempt.gang, rank.process.rank), rank.log);
  attempt.ranks.push_back(std::move(rank));
  return {};
}

}  // namespace

Result<bool> meet_nodes(Attempt& attempt) {
  ROOST_TRY(const NodeFacts own, own_facts(attempt));
  attempt.nodes = {own};
  if (attempt.gang.nodes > 1) {
    ROOST_TRY(const bool met, await_others(attempt, own));
    if (!met) return false;
  }
  const std::string name = fmt::format("{}-{}", attempt.run_id, attempt.number);
  for (auto& process : plan_ranks(attempt.gang, attempt.nodes, attempt.node_rank, name)) {
    ROOST_CHECK(add_rank(attempt, std::move(process)));
  }
  return true;
}

}  // namespace roost
