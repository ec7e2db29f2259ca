#include "mlflow/run_wire.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace roost::mlflow {
namespace {

void append_member(std::string& out, std::string_view name, std::string_view text) {
  out += '"';
  out += name;
  out += "\":";
  append_text(out, text);
}

void append_dataset(std::string& out, const WireDataset& dataset) {
  out += "{\"tags\":[";
  for (const auto& tag : dataset.tags.items()) {
    if (out.back() == '}') out += ',';
    out += '{';
    append_member(out, "key", tag.key());
    out += ',';
    append_member(out, "value", tag.value().is_string() ? tag.value().get_ref<const std::string&>() : "");
    out += '}';
  }
  out += "],\"dataset\":{";
  append_member(out, "name", dataset.name);
  out += ',';
  append_member(out, "digest", dataset.digest);
  out += ',';
  append_member(out, "source_type", dataset.source_type);
  out += ',';
  append_member(out, "source", dataset.source);
  if (!dataset.schema.empty()) {
    out += ',';
    append_member(out, "schema", dataset.schema);
  }
  if (!dataset.profile.empty()) {
    out += ',';
    append_member(out, "profile", dataset.profile);
  }
  out += "}}";
}

template <class Items, class Append>
void append_list(std::string& out, std::string_view name, const Items& items, Append append) {
  if (items.empty()) return;
  if (out.back() != '{') out += ',';
  out += '"';
  out += name;
  out += "\":[";
  for (const auto& item : items) {
    if (&item != &items.front()) out += ',';
    append(item);
  }
  out += ']';
}

}  // namespace

void append_text(std::string& out, std::string_view text) {
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
  if (!plain) {
    out += to_text(Json(text));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

void append_integer(std::string& out, std::int64_t value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_number(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    char digits[32];
    const std::string_view text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    out += text;
    if (text.find_first_of(".e") == text.npos) out += ".0";
  }
}

void append_metric(std::string& out, const WireMetric& metric, std::string_view rest) {
  out += "{\"key\":";
  append_text(out, metric.key);
  out += ",\"value\":";
  append_number(out, metric.value);
  out += ",\"timestamp\":";
  append_integer(out, milliseconds(metric.at));
  out += ",\"step\":";
  append_integer(out, metric.step);
  out += rest;
  out += '}';
}

void append_pairs(std::string& out, const std::vector<std::pair<std::string, std::string>>& pairs) {
  out += '[';
  for (const auto& [key, value] : pairs) {
    if (out.back() == '}') out += ',';
    out += '{';
    append_member(out, "key", key);
    out += ',';
    append_member(out, "value", value);
    out += '}';
  }
  out += ']';
}

void append_run_info(std::string& out, const WireRun& run) {
  out += '{';
  append_member(out, "run_uuid", run.id);
  out += ',';
  append_member(out, "run_id", run.id);
  out += ',';
  append_member(out, "experiment_id", run.experiment);
  out += ',';
  append_member(out, "run_name", run.name);
  out += ',';
  append_member(out, "user_id", run.user);
  out += ',';
  append_member(out, "status", wire_status_name(run.status));
  out += ",\"start_time\":";
  append_integer(out, milliseconds(run.started));
  if (run.ended) {
    out += ",\"end_time\":";
    append_integer(out, milliseconds(*run.ended));
  }
  out += ',';
  append_member(out, "artifact_uri", run.artifact_uri);
  out += ',';
  append_member(out, "lifecycle_stage", run.deleted ? "deleted" : "active");
  out += '}';
}

void append_run(std::string& out, const WireRun& run) {
  out += "{\"info\":";
  append_run_info(out, run);
  out += ",\"data\":{";
  append_list(out, "metrics", run.metrics, [&](const WireMetric& metric) { append_metric(out, metric); });
  for (const auto& [name, pairs] : {std::pair("params", &run.params), std::pair("tags", &run.tags)}) {
    if (pairs->empty()) continue;
    if (out.back() != '{') out += ',';
    out += '"';
    out += name;
    out += "\":";
    append_pairs(out, *pairs);
  }
  out += "},\"inputs\":{";
  append_list(out, "dataset_inputs", run.datasets, [&](const WireDataset& dataset) { append_dataset(out, dataset); });
  append_list(out, "model_inputs", run.models_in, [&](const WireModelUse& use) {
    out += '{';
    append_member(out, "model_id", use.model);
    out += '}';
  });
  out += "},\"outputs\":{";
  append_list(out, "model_outputs", run.models_out, [&](const WireModelUse& use) {
    out += '{';
    append_member(out, "model_id", use.model);
    out += ",\"step\":";
    append_integer(out, use.step);
    out += '}';
  });
  out += "}}";
}

}  // namespace roost::mlflow
