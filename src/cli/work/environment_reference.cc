#include "cli/work/environment_reference.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
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

}  // namespace roost
