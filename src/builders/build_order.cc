#include "builders/build_order.h"

namespace roost {
namespace {

Json plan_json(const EnvironmentPlan& plan) {
  return {{"interpreter", plan.interpreter}, {"user_managed", plan.user_managed},
          {"python", plan.python},           {"channels", plan.channels},
          {"conda", plan.conda},             {"pip", plan.pip},
          {"base_image", plan.base_image},   {"dockerfile", plan.dockerfile},
          {"pins", pins_name(plan.pins)},    {"adds_mlflow", plan.adds_mlflow}};
}

using Strings = std::vector<std::string>;

EnvironmentPlan plan_from(const Json& json) {
  EnvironmentPlan plan;
  plan.interpreter = text_at(json, "interpreter");
  plan.user_managed = flag_at(json, "user_managed");
  plan.python = text_at(json, "python");
  plan.channels = strings_at(json, "channels");
  plan.conda = strings_at(json, "conda");
  plan.pip = strings_at(json, "pip");
  plan.adds_mlflow = flag_at(json, "adds_mlflow");
  plan.base_image = text_at(json, "base_image");
  plan.dockerfile = text_at(json, "dockerfile");
  plan.pins = parse_pins(text_at(json, "pins", "nearest")).value_or(Pins::kNearest);
  return plan;
}

}  // namespace

Json build_settings_json(const BuildSettings& settings) {
  return {{"python", settings.python},       {"pythons", settings.pythons},
          {"index_url", settings.index_url}, {"wheels", settings.wheels},
          {"channels", settings.channels},
          {"offline", settings.offline},     {"pins", pins_name(settings.pins)},
          {"uv", settings.uv},               {"tools", settings.tools},
          {"cache", settings.cache},         {"gpu", settings.gpu},
          {"registry", settings.registry},   {"registry_insecure", settings.registry_insecure}};
}

BuildSettings build_settings_from(const Json& json) {
  BuildSettings settings;
  settings.python = text_at(json, "python");
  settings.pythons = strings_at(json, "pythons");
  settings.index_url = text_at(json, "index_url");
  settings.wheels = text_at(json, "wheels");
  settings.channels = strings_at(json, "channels");
  settings.offline = flag_at(json, "offline");
  settings.uv = text_at(json, "uv");
  settings.tools = text_at(json, "tools");
  settings.cache = text_at(json, "cache");
  settings.gpu = text_at(json, "gpu", "auto");
  settings.registry = text_at(json, "registry");
  settings.registry_insecure = flag_at(json, "registry_insecure");
  settings.pins = parse_pins(text_at(json, "pins", "nearest")).value_or(Pins::kNearest);
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
  order.plan = plan_from(object_at(json, "plan"));
  order.lock = strings_at(json, "lock");
  order.folder = text_at(json, "folder");
  order.settings = build_settings_from(object_at(json, "settings"));
  return order;
}

Json built_json(const BuiltEnvironment& built) {
  Json json = {{"builder", built.builder}, {"reason", built.reason}, {"python", built.python},
               {"image", built.image},     {"lock", built.lock},     {"changes", built.changes}};
  if (!built.inside.is_null()) json["inside"] = built.inside;
  if (!built.notes.empty()) json["notes"] = built.notes;
  return json;
}

BuiltEnvironment built_from(const Json& json) {
  BuiltEnvironment built;
  built.builder = text_at(json, "builder");
  built.reason = text_at(json, "reason");
  built.python = text_at(json, "python");
  built.image = text_at(json, "image");
  built.inside = member(json, "inside");
  built.lock = strings_at(json, "lock");
  built.changes = strings_at(json, "changes");
  built.notes = strings_at(json, "notes");
  return built;
}

}  // namespace roost
