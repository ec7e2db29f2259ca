#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace roost {

// One model of a replica: its folder (or file) below the app root.
struct OrderedModel {
  std::string name;
  std::int64_t version = 1;  // 0: what the files say
  std::string path;
};

// What a replica is to serve and how: the variable ROOST_REPLICA, written by the server.
struct ServingOrder {
  std::string endpoint;
  std::string workspace;
  std::string deployment;
  std::int64_t revision = 0;
  std::string slug;
  std::string runtime;  // "onnx", "python" or "sklearn"
  std::vector<OrderedModel> models;
  std::string entry_script;
  std::string source_directory;
  std::string model_dir;
  std::int64_t workers = 1;
  std::int64_t max_concurrent_requests = 1;  // 0: no limit
  std::int64_t queue_limit = 256;
  std::int64_t queue_wait_ms = 500;
  std::int64_t scoring_timeout_ms = 60'000;
  std::int64_t max_body_bytes = 100 << 20;
  std::int64_t max_batch = 32;
  std::int64_t max_delay_us = 0;
  std::int64_t intra_op_threads = 0;  // 0: decide
  std::string cors_origins;
  // Where to listen. "": where the front reaches this node.
  std::string listen = "127.0.0.1";
};

// kInvalidArgument names the member that is missing, unknown or of the wrong kind.
Result<ServingOrder> parse_serving_order(std::string_view text);

}  // namespace roost
