#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "infer/tensor.h"

namespace roost {

// GET /v2
Json v2_server_document();
// GET /v2/models/M: `versions` are all that are there.
Json v2_model_document(const ModelSignature& model, const std::vector<std::string>& versions);

// GET /v2/models/M/config, as Triton has it. Shapes are whole, batch included, so max_batch_size is 0; what Roost batches by
// itself is under dynamic_batching.
struct V2Batching {
  std::uint64_t max_batch = 0;  // 0 or 1: none
  std::uint64_t max_delay_us = 0;
};
Json v2_config_document(const ModelSignature& model, const V2Batching& batching);

struct V2Duration {
  std::uint64_t count = 0;
  std::uint64_t ns = 0;  // of all together
};
struct V2Statistics {
  std::string name;
  std::string version;
  std::int64_t last_inference_ms = 0;  // since 1970
  std::uint64_t inference_count = 0;   // rows, so a batch of 8 counts 8
  std::uint64_t execution_count = 0;   // runs of the model
  V2Duration success, fail, queue, compute_input, compute_infer, compute_output;
};
// GET /v2/models[/M[/versions/V]]/stats
Json v2_statistics_document(const std::vector<V2Statistics>& models);

struct V2IndexEntry {
  std::string name;
  std::string version;
  bool ready = true;
  std::string reason;  // why it is not
};
// POST /v2/repository/index
Json v2_index_document(const std::vector<V2IndexEntry>& models);

}  // namespace roost
