#include "cli/show/endpoint_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/fact_list.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"

namespace roost {
namespace {

std::string models_text(const Json& deployment) {
  std::string text;
  for (const Json& model : child(deployment, "models")) {
    if (!text.empty()) text += ", ";
    text += model.is_object() ? text_field(model, "id") : value_text(model);
  }
  return text;
}

std::string replicas_text(const Json& deployment) {
  const Json& range = child(deployment, "replicas");
  const std::string min = text_field(range, "min");
  const std::string max = text_field(range, "max");
  std::string text = fmt::format("{}/{}", text_field(deployment, "ready"), text_field(deployment, "wanted"));
  if (min != max) text += fmt::format(" ({} to {})", min, max);
  return text;
}

std::string share_text(const Json& endpoint, const std::string& deployment) {
  const std::string traffic = text_field(child(endpoint, "traffic"), deployment.c_str());
  const std::string shadow = text_field(child(endpoint, "shadow"), deployment.c_str());
  std::string text = traffic.empty() ? "0 %" : traffic + " %";
  if (!shadow.empty() && shadow != "0") text += ", shadow " + shadow + " %";
  return text;
}

const Json& statistics_of(const Json& statistics, const std::string& deployment) {
  static const Json none;
  for (const Json& one : child(statistics, "deployments")) {
    if (text_field(one, "name") == deployment) return one;
  }
  return none;
}

std::string number_text(const Json& object, const char* name, const char* format) {
  const Json& number = child(object, name);
  return number.is_number() ? fmt::format(fmt::runtime(format), number.get<double>()) : "";
}

// Nothing was measured while it is 0: no request took no time.
std::string milliseconds_text(const Json& object, const char* name) {
  const Json& number = child(object, name);
  return number.is_number() && number.get<double>() > 0 ? fmt::format("{:.1f} ms", number.get<double>()) : "";
}

TextTable deployment_table(const Json& endpoint, const Json& statistics) {
  TextTable table({{"DEPLOYMENT"}, {"STATE"}, {"MODELS", false, true}, {"TRAFFIC"}, {"REPLICAS"}, {"REQ/S", true}, {"P50", true},
                   {"P99", true}, {"ERRORS", true}});
  for (const Json& deployment : child(endpoint, "deployments")) {
    const std::string name = text_field(deployment, "name");
    const std::string state = text_field(deployment, "state");
    const Json& numbers = statistics_of(statistics, name);
    table.add({name, {state, endpoint_tone(state)}, models_text(deployment), share_text(endpoint, name), replicas_text(deployment),
               number_text(numbers, "requests_per_second", "{:.1f}"), milliseconds_text(numbers, "p50_ms"),
               milliseconds_text(numbers, "p99_ms"), text_field(numbers, "errors")});
  }
  return table;
}

TextTable replica_table(const Json& endpoint, Micros now) {
  TextTable table({{"REPLICA", false, false, true}, {"DEPLOYMENT", false, true}, {"STATE"}, {"NODE", false, true}, {"UP SINCE"}, {"RESTARTS", true}});
  for (const Json& deployment : child(endpoint, "deployments")) {
    for (const Json& replica : child(deployment, "replicas_now")) {
      const std::string state = text_field(replica, "state");
      const auto started = time_field(replica, "started_at");
      const std::string restarts = text_field(replica, "restarts");
      table.add({text_field(replica, "run"), text_field(deployment, "name"), {state, endpoint_tone(state)},
                 text_field(replica, "node"), started ? time_ago(*started, now) : "", restarts == "0" ? "" : restarts});
    }
  }
  return table;
}

void add_error(std::string& text, const std::string& where, const Json& error) {
  if (!error.is_object()) return;
  std::string message = text_field(error, "message");
  for (const Json& detail : child(error, "details")) {
    const std::string more = text_field(detail, "message");
    if (more.empty() || message.find(more) != std::string::npos) continue;
    message += (message.empty() ? "" : "\n") + more;
  }
  if (message.empty()) message = text_field(error, "code");
  if (message.empty() || text.find(message) != std::string::npos) return;
  text += (text.empty() ? "" : "\n") + (where.empty() ? "" : where + ": ") + message;
}

}  // namespace

Tone endpoint_tone(const std::string& state) {
  if (state == "Healthy" || state == "ready") return Tone::kGreen;
  if (state == "Failed" || state == "failed" || state == "Unhealthy") return Tone::kRed;
  return Tone::kYellow;
}

const Json& find_deployment(const Json& endpoint, const std::string& name) {
  static const Json none;
  for (const Json& deployment : child(endpoint, "deployments")) {
    if (text_field(deployment, "name") == name) return deployment;
  }
  return none;
}

std::string shares_text(const Json& shares) {
  std::string text;
  if (!shares.is_object()) return text;
  for (const auto& [name, percent] : shares.items()) {
    text += fmt::format("{}{} {} %", text.empty() ? "" : ", ", name, value_text(percent));
  }
  return text;
}

TextTable endpoint_table(const Json& endpoints, Micros now) {
  TextTable table({{"ENDPOINT"}, {"STATE"}, {"TRAFFIC", false, true}, {"READY", true}, {"ADDRESS", false, true}, {"CHANGED"}});
  for (const Json& endpoint : endpoints) {
    std::string serves;
    std::int64_t ready = 0;
    for (const Json& deployment : child(endpoint, "deployments")) {
      const std::string name = text_field(deployment, "name");
      const bool alone = child(endpoint, "deployments").size() == 1;
      serves += (serves.empty() ? "" : ", ") + models_text(deployment) + (alone ? "" : " " + share_text(endpoint, name));
      if (const Json& count = child(deployment, "ready"); count.is_number_integer()) ready += count.get<std::int64_t>();
    }
    const std::string state = text_field(endpoint, "state");
    const auto changed = time_field(endpoint, "updated_at");
    table.add({text_field(endpoint, "name"), {state, endpoint_tone(state)}, serves, std::to_string(ready),
               text_field(endpoint, "scoring_uri"), {changed ? time_ago(*changed, now) : "", Tone::kDim}});
  }
  return table;
}

std::string call_line(const Json& endpoint) {
  const std::string auth = text_field(endpoint, "auth");
  const std::string name = text_field(endpoint, "name");
  std::string line = "curl";
  if (auth == "key") line += fmt::format(" -H \"Authorization: Bearer $(roost endpoints keys {} -q)\"", shell_quote(name));
  if (auth == "token") line += fmt::format(" -H \"Authorization: Bearer $(roost endpoints keys {} --token -q)\"", shell_quote(name));
  line += " -H 'Content-Type: application/json' -d @request.json " + shell_quote(text_field(endpoint, "scoring_uri"));
  return line;
}

std::string endpoint_error(const Json& endpoint, const std::string& deployment) {
  std::string text;
  for (const Json& one : child(endpoint, "deployments")) {
    const std::string name = text_field(one, "name");
    if (!deployment.empty() && name != deployment) continue;
    add_error(text, deployment.empty() ? name : "", child(one, "error"));
  }
  add_error(text, "", child(endpoint, "error"));
  return text;
}

std::string endpoint_page(const Json& endpoint, const Json& statistics, Micros now, const Style& style, int width) {
  const std::string state = text_field(endpoint, "state");
  std::string text = style(Tone::kBold, text_field(endpoint, "name")) + "  " + style(endpoint_tone(state), state) + "\n";
  if (const std::string about = text_field(endpoint, "description"); !about.empty()) text += about + "\n";
  if (const std::string error = endpoint_error(endpoint, ""); !error.empty()) text += style(Tone::kRed, error) + "\n";
  const auto created = time_field(endpoint, "created_at");
  FactList facts;
  facts.add("address", text_field(endpoint, "scoring_uri"));
  facts.add("auth", text_field(endpoint, "auth"));
  facts.add("compute", text_field(endpoint, "compute"));
  facts.add("traffic", shares_text(child(endpoint, "traffic")));
  facts.add("shadow", shares_text(child(endpoint, "shadow")));
  facts.add("revision", text_field(endpoint, "revision"));
  facts.add("tags", tags_text(child(endpoint, "tags")));
  facts.add("created", created ? fmt::format("{} by {}", time_ago(*created, now), text_field(endpoint, "created_by")) : "");
  facts.add("call it", call_line(endpoint));
  text += facts.text(style, 2, width);
  if (const TextTable table = deployment_table(endpoint, statistics); !table.empty()) text += "\n" + table.text(style, width);
  if (const TextTable table = replica_table(endpoint, now); !table.empty()) text += "\n" + table.text(style, width);
  return text;
}

}  // namespace roost
