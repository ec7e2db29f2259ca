#include "serve/serving_order.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/files.h"

namespace roost {
namespace {

constexpr const char* kWhat = "ROOST_REPLICA";
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kDay = 24 * 3600 * 1000;
constexpr std::int64_t kMostBody = 16LL << 30;
constexpr std::array kRuntimes = {"onnx", "python", "sklearn"};

tl::unexpected<Error> wrong(const std::string& why) {
  return fail(ErrorCode::kInvalidArgument,
              std::string(kWhat) + " " + why + "; the server and this program must be of the same version");
}

// It leads to files of the run, so it stays below the app root. "" is none.
Status check_path(const std::string& name, const std::string& path) {
  if (path.empty() || is_safe_relative_path(path)) return {};
  return wrong("has '" + path + "' as " + name + ", which is no path below the app root");
}

Result<OrderedModel> parse_model(const Json& item) {
  OrderedModel model;
  JsonFields fields(item, "a model of ROOST_REPLICA");
  model.name = fields.required_string("name");
  model.version = fields.integer("version", 1, 0, kMost);
  model.path = fields.required_string("path");
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_path("a model's path", model.path));
  return model;
}

Status check(const ServingOrder& order) {
  if (std::find(kRuntimes.begin(), kRuntimes.end(), order.runtime) == kRuntimes.end()) {
    return wrong("has the runtime '" + order.runtime + "'; it must be onnx, python or sklearn");
  }
  if (order.runtime == "python" && order.entry_script.empty()) return wrong("has runtime python and no entry_script");
  if (order.runtime != "python" && order.models.empty()) return wrong("has runtime " + order.runtime + " and no models");
  ROOST_CHECK(check_path("entry_script", order.entry_script));
  ROOST_CHECK(check_path("source_directory", order.source_directory));
  return check_path("model_dir", order.model_dir);
}

}  // namespace

Result<ServingOrder> parse_serving_order(std::string_view text) {
  ROOST_TRY(const Json document, parse_json(text, kWhat));
  ServingOrder order;
  JsonFields fields(document, kWhat);
  order.endpoint = fields.required_string("endpoint");
  order.workspace = fields.string("workspace");
  order.deployment = fields.required_string("deployment");
  order.revision = fields.integer("revision", 0, 0, kMost);
  order.slug = fields.string("slug", order.endpoint);
  order.runtime = fields.required_string("runtime");
  const Json models = fields.array("models");
  order.entry_script = fields.string("entry_script");
  order.source_directory = fields.string("source_directory");
  order.model_dir = fields.string("model_dir");
  order.workers = fields.integer("workers", 1, 1, 1024);
  order.max_concurrent_requests = fields.integer("max_concurrent_requests", 1, 0, 100'000);
  order.queue_limit = fields.integer("queue_limit", 256, 0, 1'000'000);
  order.queue_wait_ms = fields.integer("queue_wait_ms", 500, 0, kDay);
  order.scoring_timeout_ms = fields.integer("scoring_timeout_ms", 60'000, 1, kDay);
  order.max_body_bytes = fields.integer("max_body_bytes", 100 << 20, 1, kMostBody);
  const Json batching = fields.object("batching");
  const Json threads = fields.object("threads");
  order.cors_origins = fields.string("cors_origins");
  order.listen = fields.string("listen", "127.0.0.1");
  ROOST_CHECK(fields.done());
  JsonFields batch(batching, "batching of ROOST_REPLICA");
  order.max_batch = batch.integer("max_batch", 32, 1, 65'536);
  order.max_delay_us = batch.integer("max_delay_us", 0, 0, 10'000'000);
  ROOST_CHECK(batch.done());
  JsonFields thread(threads, "threads of ROOST_REPLICA");
  order.intra_op_threads = thread.integer("intra_op", 0, 0, 4096);
  ROOST_CHECK(thread.done());
  for (const Json& item : models) {
    ROOST_TRY(OrderedModel model, parse_model(item));
    order.models.push_back(std::move(model));
  }
  ROOST_CHECK(check(order));
  return order;
}

}  // namespace roost
