#include "endpoints/endpoint_progress.h"

#include <algorithm>

namespace roost {
namespace {

constexpr std::size_t kMostSteps = 50;

}  // namespace

void EndpointProgress::add_step(Micros at, const std::string& text) {
  const bool is_there = std::any_of(steps.begin(), steps.end(), [&](const EndpointStep& step) { return step.text == text; });
  if (!is_there && steps.size() < kMostSteps) steps.push_back({at, text});
}

Json progress_json(const EndpointProgress& progress) {
  Json deployments = Json::object();
  for (const auto& [name, one] : progress.deployments) {
    deployments[name] = {{"revision", one.revision},   {"failures", one.failures},     {"restarts", one.restarts},
                         {"next_try", one.next_try},   {"was_ready", one.was_ready},   {"has_failed", one.has_failed},
                         {"code", one.code},           {"message", one.message},       {"wanted", one.wanted},
                         {"low_since", one.low_since}};
  }
  Json steps = Json::array();
  for (const auto& step : progress.steps) steps.push_back({{"at", step.at}, {"text", step.text}});
  return {{"deployments", std::move(deployments)}, {"steps", std::move(steps)}};
}

EndpointProgress stored_progress(const Json& stored) {
  EndpointProgress progress;
  const Json deployments = object_at(stored, "deployments");
  for (const auto& item : deployments.items()) {
    DeploymentProgress& one = progress.deployments[item.key()];
    one.revision = integer_at(item.value(), "revision");
    one.failures = integer_at(item.value(), "failures");
    one.restarts = integer_at(item.value(), "restarts");
    one.next_try = integer_at(item.value(), "next_try");
    one.was_ready = flag_at(item.value(), "was_ready");
    one.has_failed = flag_at(item.value(), "has_failed");
    one.code = text_at(item.value(), "code");
    one.message = text_at(item.value(), "message");
    one.wanted = integer_at(item.value(), "wanted");
    one.low_since = integer_at(item.value(), "low_since");
  }
  for (const auto& step : array_at(stored, "steps")) progress.steps.push_back({integer_at(step, "at"), text_at(step, "text")});
  return progress;
}

}  // namespace roost
