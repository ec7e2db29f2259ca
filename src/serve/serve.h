#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"

namespace roost {

// What `roost serve` is told on its command line; for a replica, nothing.
struct ServeOptions {
  std::vector<std::string> models;  // .onnx files, folders of them, or one score.py
  std::string name;
  std::string address = "127.0.0.1";
  std::int64_t port = 0;
  std::string model_dir;  // for score.py
  std::int64_t workers = 1;
  std::int64_t max_batch = 32;
  std::int64_t max_delay_us = 0;
  std::int64_t threads = 0;
  std::int64_t queue_limit = 256;
  std::int64_t queue_wait_ms = 500;
  std::int64_t scoring_timeout_ms = 60'000;
  std::int64_t max_body_bytes = 100 << 20;
  std::string cors_origins;
};

// Serves as the variable ROOST_REPLICA orders, or, when models are named, those; until `stop`. When models are named it says
// where on standard output once it is ready. Returns the exit code.
Result<int> run_serve(const ServeOptions& options, const std::stop_token& stop);

}  // namespace roost
