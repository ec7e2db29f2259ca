#include "serve/serve.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/digest.h"
#include "serve/choose_servant.h"
#include "serve/replica.h"
#include "serve/serving_order.h"
#include "serve/unable_servant.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Result<int> serve_as(const ServingOrder& order, const std::string& app_root, ReplicaOptions options,
                     const std::stop_token& stop) {
  auto servant = choose_servant(order, app_root);
  ReplicaServant chosen;
  if (servant) {
    chosen = *std::move(servant);
  } else {
    chosen.servant = unable_servant(std::move(servant).error());
  }
  options.max_body_bytes = static_cast<std::uint64_t>(order.max_body_bytes);
  Replica replica(std::move(chosen), std::move(options));
  return replica.run(stop);
}

Result<int> serve_order(const std::string& text, const std::stop_token& stop) {
  ROOST_TRY(const ServingOrder order, parse_serving_order(text));
  const std::string node = environment("ROOST_NODE_ADDRESS");
  ReplicaOptions options;
  options.name = order.endpoint + "/" + order.deployment;
  options.address = order.listen.empty() ? (node.empty() ? "127.0.0.1" : node) : order.listen;
  const bool is_any = options.address == "0.0.0.0" || options.address == "::";
  if (is_any) options.shown_address = node.empty() ? "127.0.0.1" : node;
  options.drain = std::max(options.drain, std::chrono::milliseconds(order.scoring_timeout_ms));  // what it began it answers
  options.key = random_hex(24);
  options.run = environment("ROOST_RUN_ID");
  if (options.run.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                "ROOST_REPLICA is set but ROOST_RUN_ID is not: a replica is a run that the server starts. To serve "
                "files, unset it and name them: roost serve MODEL.onnx");
  }
  return serve_as(order, fs::current_path().string(), std::move(options), stop);
}

ServingOrder order_of(const ServeOptions& options, const std::string& name) {
  ServingOrder order;
  order.endpoint = order.slug = name;
  order.deployment = "default";
  order.workers = options.workers;
  order.queue_limit = options.queue_limit;
  order.queue_wait_ms = options.queue_wait_ms;
  order.scoring_timeout_ms = options.scoring_timeout_ms;
  order.max_body_bytes = options.max_body_bytes;
  order.max_batch = options.max_batch;
  order.max_delay_us = options.max_delay_us;
  order.intra_op_threads = options.threads;
  order.cors_origins = options.cors_origins;
  return order;
}

Status check(const ServeOptions& options) {
  const auto in = [](const char* name, std::int64_t value, std::int64_t low, std::int64_t high) -> Status {
    if (value >= low && value <= high) return {};
    return fail(ErrorCode::kInvalidArgument, fmt::format("{} {} must be from {} to {}", name, value, low, high));
  };
  ROOST_CHECK(in("--port", options.port, 0, 65'535));
  ROOST_CHECK(in("--workers", options.workers, 1, 1024));
  ROOST_CHECK(in("--max-batch", options.max_batch, 1, 65'536));
  ROOST_CHECK(in("--max-delay-us", options.max_delay_us, 0, 10'000'000));
  ROOST_CHECK(in("--threads", options.threads, 0, 4096));
  ROOST_CHECK(in("--queue-limit", options.queue_limit, 0, 1'000'000));
  ROOST_CHECK(in("--queue-wait-ms", options.queue_wait_ms, 0, 86'400'000));
  ROOST_CHECK(in("--scoring-timeout-ms", options.scoring_timeout_ms, 1, 86'400'000));
  return in("--max-body-bytes", options.max_body_bytes, 1, 16LL << 30);
}

Result<int> serve_files(const ServeOptions& options, const std::stop_token& stop) {
  ROOST_CHECK(check(options));
  const fs::path first = options.models.front();
  const bool is_script = first.extension() == ".py";
  if (is_script && options.models.size() > 1) {
    return fail(ErrorCode::kInvalidArgument, "one score.py is served at a time, and nothing else beside it");
  }
  const std::string name = options.name.empty() ? (first / "").parent_path().stem().string() : options.name;
  ServingOrder order = order_of(options, name);
  std::string app_root = fs::current_path().string();
  if (is_script) {
    order.runtime = "python";
    const fs::path script = fs::absolute(first).lexically_normal();
    app_root = script.parent_path().string();
    order.entry_script = script.filename().string();
    if (!options.model_dir.empty()) order.model_dir = fs::absolute(options.model_dir).string();
  } else {
    order.runtime = "onnx";
    for (const auto& path : options.models) {
      // A name is for one model; several have those of their files.
      order.models.push_back({options.models.size() == 1 ? options.name : "", 0, fs::absolute(path).string()});
    }
  }
  ReplicaOptions replica;
  replica.name = name;
  replica.address = options.address;
  replica.port = static_cast<std::uint16_t>(options.port);
  replica.ready = [&](std::uint16_t port) {
    std::fputs(fmt::format("serving {} on http://{}:{}\n", name, options.address, port).c_str(), stdout);
    std::fflush(stdout);
  };
  return serve_as(order, app_root, std::move(replica), stop);
}

}  // namespace

Result<int> run_serve(const ServeOptions& options, const std::stop_token& stop) {
  if (!options.models.empty()) return serve_files(options, stop);
  const std::string order = environment("ROOST_REPLICA");
  if (order.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "nothing to serve: name a model, as in `roost serve MODEL.onnx`; replicas of endpoints are started by "
                "`roost deploy`");
  }
  return serve_order(order, stop);
}

}  // namespace roost
