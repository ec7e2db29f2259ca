#include "builders/build_order.h"

namespace roost {
namespace {

Json plan_json(const EnvironmentPlan& plan) {
  return {{"interpreter", plan.interpreter}, {"user_managed", plan.user_managed},
          {"python", plan.python},           {"channels", plan.channels},
          {"conda", plan.conda},             {"pip", plan.pip},
          {"base_image", plan.base_image},   {"dockerfile", plan.dockerfile},
          {"pins", pins_name(plan.pins)}};
}

using Strings = std::vector<std::string>;

EnvironmentPlan plan_from(const Json& json) {
  EnvironmentPlan plan;
  plan.interpreter = json.value("interpreter", "");
  plan.user_managed = json.value("user_managed", false);
  plan.python = json.value("python", "");
  plan.channels = json.value("channels", Strings());
  plan.conda = json.value("conda", Strings());
  plan.pip = json.value("pip", Strings());
  plan.base_image = json.value("base_image", "");
  plan.dockerfile = json.value("dockerfile", "");
  plan.pins = parse_pins(json.value("pins", "strict")).value_or(Pins::kStrict);
  return plan;
}

}  // namespace

Json build_settings_json(const BuildSettings& settings) {
  return {{"python", settings.python},       {"pythons", settings.pythons},
          {"index_url", settings.index_url}, {"wheels", settings.wheels},
          {"channels", settings.channels},
          {"offline", settings.offline},     {"pins", pins_name(settings.pins)},
          {"registry", settings.registry},   {"registry_insecure", settings.registry_insecure}};
}

BuildSettings build_settings_from(const Json& json) {
  BuildSettings settings;
  settings.python = json.value("python", "");
  settings.pythons = json.value("pythons", Strings());
  settings.index_url = json.value("index_url", "");
  settings.wheels = json.value("wheels", "");
  settings.channels = json.value("channels", Strings());
  settings.offline = json.value("offline", false);
  settings.registry = json.value("registry", "");
  settings.registry_insecure = json.value("registry_insecure", false);
  settings.pins = parse_pins(json.value("pins", "strict")).value_or(Pins::kStrict);
  return settings;
}

Json build_order_json(const BuildOrder& order) {
  return {{"plan", plan_json(order.plan)},
          {"lock", order.lock},
          {"folder", order.folder},
          {"settings", build_settings_json(order.settings)}};
}

BuildOrder build_order_from(const Json& json) {
  BuildOrder order;
  order.plan = plan_from(json.value("plan", Json::object()));
  order.lock = json.value("lock", Strings());
  order.folder = json.value("folder", "");
  order.settings = build_settings_from(json.value("settings", Json::object()));
  return order;
}

Json built_json(const BuiltEnvironment& built) {
  Json json = {{"builder", built.builder}, {"reason", built.reason}, {"python", built.python},
               {"image", built.image},     {"lock", built.lock},     {"changes", built.changes}};
  if (!built.inside.is_null()) json["inside"] = built.inside;
  return json;
}

BuiltEnvironment built_from(const Json& json) {
  BuiltEnvironment built;
  built.builder = json.value("builder", "");
  built.reason = json.value("reason", "");
  built.python = json.value("python", "");
  built.image = json.value("image", "");
  built.inside = json.value("inside", Json());
  built.lock = json.value("lock", Strings());
  built.changes = json.value("changes", Strings());
  return built;
}

}  // namespace roost
