#include "cli/work/secret_options.h"

#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/work/pages.h"
#include "domain/names.h"
#include "domain/secret_names.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr std::size_t kShortestMasked = 6;

Status add_own(const Console& console, const std::string& workspace, const std::string& key, Json& spec) {
  const char* here = std::getenv(key.c_str());
  if (!here) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--secret {}: the workspace {} has no secret of that name and no variable {} is set here; 'roost "
                            "secret set {}' stores one",
                            key, workspace, key, key));
  }
  if (std::string_view(here).size() < kShortestMasked) {
    std::fprintf(stderr, "%s\n",
                 console
                     .err()(Tone::kYellow, fmt::format("{} has fewer than {} characters: logs that print it are not masked", key,
                                                       kShortestMasked))
                     .c_str());
  }
  spec["environment_variables"][key] = here;
  spec["sealed_variables"].push_back(key);
  return {};
}

}  // namespace

Status add_secrets(Console& console, const std::string& workspace, const std::vector<std::string>& words, Json& spec) {
  if (words.empty()) return {};
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json known, all_items(*client, fmt::format("/workspaces/{}/secrets", percent_encode(workspace))));
  std::map<std::string, std::string> stored;  // without regard to case
  for (const Json& secret : child(known, "items")) stored[lower(text_field(secret, "name"))] = text_field(secret, "name");
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (const Status named = check_variable_name(key); !named) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--secret: {}. Write --secret VARIABLE=NAME for a secret whose name is none for a variable",
                              named.error().message));
    }
    const auto found = stored.find(lower(equals == std::string::npos ? key : word.substr(equals + 1)));
    if (found != stored.end()) {
      spec["secrets"][key] = found->second;
    } else if (equals == std::string::npos) {
      ROOST_CHECK(add_own(console, workspace, key, spec));
    } else {
      // What stands there may be a value that somebody wrote by mistake: it is not said again.
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("--secret {0}=...: what follows is the name of a secret of the workspace {1}, never its value, and "
                              "there is none of that name; 'roost secret ls' lists them, 'roost secret set {0}' stores one",
                              key, workspace));
    }
  }
  return {};
}

void warn_of_shown(const Console& console, const std::vector<std::string>& variables) {
  for (const std::string& word : variables) {
    const std::string name = word.substr(0, word.find('='));
    if (name.size() == word.size() || !names_secret(name)) continue;
    std::fprintf(stderr, "%s\n",
                 console
                     .err()(Tone::kYellow, fmt::format("the value of {0} stands on the command line, where others on this machine "
                                                       "can read it; --secret {0} takes it from your environment",
                                                       printable(name)))
                     .c_str());
  }
}

}  // namespace roost
