#include "cli/work/sweep_reference.h"

#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "net/router.h"

namespace roost {

std::string sweep_path(const Json& sweep, const std::string& rest) {
  return "/sweeps/" + percent_encode(text_field(sweep, "id")) + rest;
}

Result<Json> find_sweep(Console& console, const std::string& reference) {
  const bool newest = reference.empty() || reference == "@" || reference == "latest";
  ROOST_TRY(ApiClient * client, console.client());
  if (!newest) {
    auto exact = client->get("/sweeps/" + percent_encode(reference));
    if (exact || (exact.error().code != ErrorCode::kNotFound && exact.error().code != ErrorCode::kInvalidArgument)) {
      return exact;
    }
  }
  ROOST_TRY(const Json list, client->get(console.in_workspace(newest ? "/sweeps?limit=1" : "/sweeps")));
  std::vector<const Json*> found;
  for (const Json& sweep : child(list, "sweeps")) {
    const std::string id = text_field(sweep, "id");
    if (newest || id.starts_with(reference) || id.starts_with("HD_" + reference)) found.push_back(&sweep);
  }
  if (found.size() == 1 || (newest && !found.empty())) return *found.front();
  if (newest) {
    return fail(ErrorCode::kNotFound, fmt::format("workspace \"{}\" has no sweep yet; `roost sweep start` makes one",
                                                  printable(console.workspace())));
  }
  if (found.empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("no sweep \"{}\" among the newest of workspace \"{}\"; `roost sweep ls` lists them",
                            printable(reference), printable(console.workspace())));
  }
  std::string message = fmt::format("\"{}\" could be {} sweeps:", printable(reference), found.size());
  for (std::size_t i = 0; i < found.size() && i < 5; ++i) message += " " + text_field(*found[i], "id");
  if (found.size() > 5) message += " ...";
  return fail(ErrorCode::kInvalidArgument, message + "; give more of the id");
}

Result<Json> all_trials(ApiClient& client, const Json& sweep) {
  Json trials = Json::array();
  std::string query;
  for (;;) {
    ROOST_TRY(Json page, client.get(sweep_path(sweep, "/trials" + query)));
    for (Json& trial : page["trials"]) trials.push_back(std::move(trial));
    const Json& next = child(page, "next");
    if (!next.is_number_integer() || child(page, "trials").empty()) return trials;
    query = fmt::format("?after={}", next.get<std::int64_t>());
  }
}

}  // namespace roost
