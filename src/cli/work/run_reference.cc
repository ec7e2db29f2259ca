#include "cli/work/run_reference.h"

#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "net/router.h"

namespace roost {
namespace {

Result<Json> newest_run(Console& console) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(Json page, client->get(console.in_workspace("/runs?limit=1")));
  const Json& items = child(page, "items");
  if (!items.is_array() || items.empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("workspace \"{}\" has no run yet; `roost submit` makes one",
                            printable(console.workspace())));
  }
  return items[0];
}

}  // namespace

std::string run_path(const Json& run, const std::string& rest) {
  return "/runs/" + percent_encode(text_field(run, "id")) + rest;
}

Result<Json> find_run(Console& console, const std::string& reference) {
  if (reference.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "name a run: its id, the beginning of it, or @ for the newest");
  }
  if (reference == "@" || reference == "latest") return newest_run(console);
  ROOST_TRY(ApiClient * client, console.client());
  auto exact = client->get("/runs/" + percent_encode(reference));
  if (exact || (exact.error().code != ErrorCode::kNotFound &&
                exact.error().code != ErrorCode::kInvalidArgument)) {
    return exact;
  }
  const std::string query = "/runs?limit=200&name=" + percent_encode(reference);
  ROOST_TRY(const Json page, client->get(console.in_workspace(query)));
  std::vector<const Json*> found;
  for (const Json& run : child(page, "items")) {
    if (text_field(run, "id").starts_with(reference) ||
        text_field(run, "display_name") == reference) {
      found.push_back(&run);
    }
  }
  if (found.size() == 1) return *found.front();
  if (found.empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("no run \"{}\" in workspace \"{}\"; `roost runs` lists them",
                            printable(reference), printable(console.workspace())));
  }
  std::string message = fmt::format("\"{}\" could be {} runs:", printable(reference), found.size());
  for (std::size_t i = 0; i < found.size() && i < 5; ++i) {
    message += " " + text_field(*found[i], "id");
  }
  if (found.size() > 5) message += " ...";
  return fail(ErrorCode::kInvalidArgument, message + "; give more of the id");
}

}  // namespace roost
