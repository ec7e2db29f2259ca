#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "builders/build_order.h"
#include "compute/local_engine.h"
#include "compute/slurm/slurm_cluster.h"

namespace roost {

// What an operator can set; `roost up` uses the defaults. docs/operations.md explains each.
struct ServerConfig {
  std::filesystem::path data;
  std::string address = "127.0.0.1";
  std::uint16_t port = 8422;
  bool any_port_if_taken = false;  // `roost up` without --port
  std::string python;              // for runs that name no interpreter; "" finds one
  BuildSettings environments;      // how environments are built
  std::string curated_environments;  // a YAML file that adds to the built-in ones
  std::string tls_certificate;
  std::string tls_key;
  bool tls_self_signed = false;
  bool allow_insecure = false;  // serve a non-loopback address without TLS
  double heartbeat_seconds = 2;
  double node_silent_seconds = 20;
  double node_lost_seconds = 60;
  int cancel_grace_seconds = 10;
  double process_silent_seconds = 60;  // of the process of an interactive run
  double process_lost_seconds = 900;
  double hang_seconds = 600;  // of doing nothing, after which a run is said to hang; 0: never
  int worker_threads = 16;
  double writer_stall_seconds = 30;  // of a write that does not move, after which the server is not well
  std::int64_t reserve_mb = 64;      // kept aside for records on a full disk; at most 1 % of it
  int caller_requests = 512;  // of one token or address under way at a time
  int caller_uploads = 64;
  int address_connections = 1024;  // of one address at a time; four times as many for loopback
  std::int64_t bin_days = 30;        // before what is in the bin is deleted for good; 0: never
  double alert_retry_seconds = 5;    // after an alert could not be sent; twice as long each time, up to an hour
  double idle_gpu_seconds = 900;     // of GPUs without work, after which that is told
  int blob_lease_seconds = 900;  // how long gc keeps what was stored or asked for, whatever its grace
  struct Slurm {
    SlurmSettings cluster;
    std::string url;     // by which nodes of the cluster reach this server; "": its own
    std::string folder;  // where its nodes work; "": below $TMPDIR
    double poll_seconds = 1;
    std::map<std::string, Json> sizes;  // VM size in lower case, or "*" -> SlurmOptions
  };
  Slurm slurm;
  std::int64_t serving_port = 0;  // of the front of endpoints; 0: the one of last time, else any
  std::int64_t local_nodes = 0;  // most nodes of all computes on this machine together; 0: no limit
  std::optional<std::vector<std::string>> gpus;  // in place of those that are found, as CUDA_VISIBLE_DEVICES names them
  std::vector<NodeHost> hosts;  // where nodes run, by slot; none: on this machine's own network
  std::map<std::string, std::string> variables;  // every run has these, unless it sets them itself
};

// Reads the YAML of `roost server --config`. Unknown keys and wrong types are refused by name.
Result<ServerConfig> parse_config(std::string_view yaml, const std::string& file_name);

// Refuses to let others on the network in without TLS unless that was asked for in words.
Status check_exposure(const ServerConfig& config);

}  // namespace roost
