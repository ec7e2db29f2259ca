#include "domain/sdk_python.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/environment_plan.h"
#include "domain/version.h"

namespace roost {
namespace {

const std::vector<int> kOldest = {3, 6};

// The version that a condition names, "=2.7", "==3.5.2" or "3.5.*"; none for ranges, which a newer one may fulfil.
std::optional<Version> named_version(std::string_view condition) {
  if (condition.find_first_of("<>!~,|") != std::string_view::npos) return std::nullopt;
  condition.remove_prefix(std::min(condition.find_first_not_of("= "), condition.size()));
  return parse_version(condition.substr(0, condition.find('*')));
}

}  // namespace

Status check_sdk_python(const Json& definition) {
  const auto plan = plan_environment(definition, Pins::kNearest);
  if (!plan || plan->user_managed) return {};  // what is wrong with it is said where it is prepared
  const auto asked = named_version(plan->python);
  if (!asked || asked->release.empty()) return {};
  std::vector<int> line = asked->release;
  line.resize(2, asked->release.size() == 1 ? 99 : 0);  // "3" is any of them
  if (line >= kOldest) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("the environment asks for Python {}, and Roost's SDK in runs needs 3.6 or newer: ask for one in "
                          "its conda dependencies (python=3.8)",
                          printable(plan->python)));
}

}  // namespace roost
