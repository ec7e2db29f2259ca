#include "onnx/metrics_text.h"

#include <array>
#include <functional>

#include <fmt/format.h>

namespace roost {
namespace {

struct Metric {
  const char* name;
  const char* kind;
  const char* help;
  std::function<std::uint64_t(const ModelStats::Values&, const LoadedModel&)> value;
};

std::uint64_t micros(const ModelStats::Total& total) { return total.ns / 1000; }

const std::array<Metric, 10>& metrics() {
  using Values = const ModelStats::Values&;
  using Model = const LoadedModel&;
  static const std::array<Metric, 10> all = {{
      {"request_success", "counter", "requests answered", [](Values v, Model) { return v.success.count; }},
      {"request_failure", "counter", "requests refused or failed", [](Values v, Model) { return v.failure.count; }},
      {"count", "counter", "rows computed for requests that succeeded", [](Values v, Model) { return v.rows; }},
      {"exec_count", "counter", "runs of the model, each for one request or several",
       [](Values v, Model) { return v.runs; }},
      {"request_duration_us", "counter", "time of requests that succeeded",
       [](Values v, Model) { return micros(v.success); }},
      {"queue_duration_us", "counter", "of that, waiting for the model",
       [](Values v, Model) { return micros(v.queue); }},
      {"compute_input_duration_us", "counter", "of that, putting rows together",
       [](Values v, Model) { return micros(v.input); }},
      {"compute_infer_duration_us", "counter", "of that, in the model",
       [](Values v, Model) { return micros(v.infer); }},
      {"compute_output_duration_us", "counter", "of that, making the answer",
       [](Values v, Model) { return micros(v.output); }},
      {"pending_request_count", "gauge", "requests that wait for the model",
       [](Values, Model m) { return static_cast<std::uint64_t>(m.waiting()); }},
  }};
  return all;
}

// As the format wants label values.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string metrics_text(const ModelSet& models, const ServantLoad& load) {
  const auto loaded = models.loaded();
  std::vector<ModelStats::Values> values;
  for (const auto& model : loaded) values.push_back(model->stats().read());
  std::string text;
  for (const Metric& metric : metrics()) {
    text += fmt::format("# HELP roost_inference_{0} {1}\n# TYPE roost_inference_{0} {2}\n", metric.name, metric.help,
                        metric.kind);
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      const ModelSignature& signature = loaded[i]->signature();
      text += fmt::format("roost_inference_{}{{model=\"{}\",version=\"{}\"}} {}\n", metric.name,
                          escaped(signature.name), escaped(signature.version), metric.value(values[i], *loaded[i]));
    }
  }
  text += fmt::format(
      "# HELP roost_serving_requests requests of every kind that were answered\n# TYPE roost_serving_requests "
      "counter\nroost_serving_requests {}\n",
      load.requests);
  text += fmt::format(
      "# HELP roost_serving_errors of those, with status 500 and above\n# TYPE roost_serving_errors "
      "counter\nroost_serving_errors {}\n",
      load.errors);
  text += fmt::format(
      "# HELP roost_serving_in_flight requests under way\n# TYPE roost_serving_in_flight "
      "gauge\nroost_serving_in_flight {}\n",
      load.in_flight);
  return text;
}

}  // namespace roost
