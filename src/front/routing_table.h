#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace roost {

// Where requests go: the file routes.json, written by the server and read by the front.

struct TableReplica {
  std::string run;
  std::string address;
  std::uint16_t port = 0;
  std::string key;
};

struct TableDeployment {
  std::string name;
  std::int64_t revision = 0;
  std::string version;                         // of what it serves, "birds:3"
  std::int64_t max_concurrent_requests = 1;    // of each replica; 0: any number
  bool is_starting = false;                    // it may have no replicas, but soon will
  std::vector<TableReplica> replicas;
};

struct TableShare {
  std::string deployment;
  std::int64_t percent = 0;
};

struct TableToken {
  std::string sha256;
  std::int64_t expires = 0;  // seconds since the epoch
};

enum class TableAuth { kNone, kKey, kToken };

struct TableEndpoint {
  std::string workspace;
  std::string name;
  std::string slug;          // in /endpoints/SLUG
  std::uint16_t port = 0;    // of its own; 0: none
  TableAuth auth = TableAuth::kKey;
  std::vector<std::string> keys;  // SHA-256 of each that opens it
  std::vector<TableToken> tokens;
  bool maps_500_to_502 = true;
  std::int64_t max_body_bytes = 100 << 20;
  std::int64_t scoring_timeout_ms = 60'000;
  std::int64_t queue_wait_ms = 500;
  std::int64_t queue_limit = 256;
  std::int64_t hold_ms = 60'000;
  std::string cors_origins;
  std::string default_deployment;  // has what `traffic` leaves over
  std::vector<TableShare> traffic;
  std::vector<TableShare> shadow;
  std::vector<TableDeployment> deployments;

  const TableDeployment* find(std::string_view deployment) const;
};

struct RoutingTable {
  std::int64_t generation = 0;
  std::vector<TableEndpoint> endpoints;
};

// kInvalidArgument says what of the text is wrong. Members that are not known are left alone: the server may be newer.
Result<RoutingTable> parse_routing_table(std::string_view text);

}  // namespace roost
