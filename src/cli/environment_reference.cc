#include "cli/environment_reference.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "cli/run_text.h"
#include "domain/names.h"
#include "net/router.h"

namespace roost {

Result<EnvironmentReference> parse_environment_reference(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  EnvironmentReference reference{text.substr(0, colon), ""};
  ROOST_CHECK(check_registry_name(reference.name, "environment"));
  if (colon == std::string::npos) return reference;
  reference.version = text.substr(colon + 1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (reference.version.empty() || reference.version.size() > 9 || reference.version[0] == '0' ||
      !std::all_of(reference.version.begin(), reference.version.end(), digit)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is no version of an environment; write it like birds or "
                            "birds:3",
                            printable(text)));
  }
  return reference;
}

std::string environment_path(const Console& console, const EnvironmentReference& reference,
                             const std::string& rest) {
  return console.in_workspace("/environments/" + percent_encode(reference.name)) + rest +
         (reference.version.empty() ? "" : "?version=" + reference.version);
}

Result<Json> find_environment(Console& console, const std::string& text) {
  ROOST_TRY(const EnvironmentReference reference, parse_environment_reference(text));
  ROOST_TRY(ApiClient * client, console.client());
  return client->get(environment_path(console, reference));
}

std::string environment_id(const Json& environment) {
  const std::string name = text_field(environment, "name");
  return child(environment, "curated") == true ? name
                                               : name + ":" + text_field(environment, "version");
}

Result<std::vector<EnvironmentPlan>> possible_plans(const Json& definition) {
  ROOST_TRY(EnvironmentPlan strict, plan_environment(definition, Pins::kStrict));
  ROOST_TRY(EnvironmentPlan nearest, plan_environment(definition, Pins::kNearest));
  std::vector<EnvironmentPlan> plans = {std::move(nearest), std::move(strict)};
  if (text_field(definition, "pins") == "strict") std::swap(plans[0], plans[1]);
  return plans;
}

Json builds_of(const Json& definition, const Json& builds) {
  Json found = Json::array();
  const auto plans = possible_plans(definition);
  if (!plans || !plans->front().needs_build()) return found;
  for (const Json& build : builds) {
    const std::string digest = text_field(build, "digest");
    const std::string lock = to_text(child(build, "lock"));
    const bool ours = std::any_of(plans->begin(), plans->end(), [&](const EnvironmentPlan& plan) {
      return digest == plan.digest() || digest == sha256_hex(plan.digest() + lock);
    });
    if (ours) found.push_back(build);
  }
  return found;
}

}  // namespace roost
