#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "mlflow/wire_status.h"

namespace roost::mlflow {

struct WireMetric {
  std::string key;
  double value = 0;
  Micros at = 0;
  std::int64_t step = 0;
};

struct WireDataset {
  std::string name;
  std::string digest;
  std::string source_type;
  std::string source;
  std::string schema;
  std::string profile;
  Json tags = Json::object();
};

struct WireModelUse {
  std::string model;
  std::int64_t step = 0;
};

// A run as MLflow's clients read it.
struct WireRun {
  std::string id;
  std::string experiment;
  std::string name;
  std::string user;
  WireStatus status = WireStatus::kRunning;
  Micros started = 0;
  std::optional<Micros> ended;
  std::string artifact_uri;
  bool deleted = false;
  std::vector<WireMetric> metrics;  // the latest of each
  std::vector<std::pair<std::string, std::string>> params;
  std::vector<std::pair<std::string, std::string>> tags;
  std::vector<WireDataset> datasets;
  std::vector<WireModelUse> models_in;
  std::vector<WireModelUse> models_out;
};

// Append the JSON text right away: a search answers with thousands of runs, a history with tens of thousands of points.
void append_run(std::string& out, const WireRun& run);
void append_run_info(std::string& out, const WireRun& run);
// Further members go before the closing brace: `rest` is "" or begins with a comma.
void append_metric(std::string& out, const WireMetric& metric, std::string_view rest = "");
void append_text(std::string& out, std::string_view text);
void append_integer(std::string& out, std::int64_t value);
// NaN and infinities as the strings that clients read.
void append_number(std::string& out, double value);
// [{"key", "value"}]; nothing but `[]` for none.
void append_pairs(std::string& out, const std::vector<std::pair<std::string, std::string>>& pairs);

inline std::int64_t milliseconds(Micros time) { return time / 1000; }

}  // namespace roost::mlflow
