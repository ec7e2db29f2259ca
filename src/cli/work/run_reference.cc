#include "cli/work/run_reference.h"

#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/work/pages.h"
#include "domain/names.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr std::size_t kFurthestBack = 10'000;

// "@", "@~2", "@birds", "@birds~2": counted from the newest that is in the lists.
struct FromNewest {
  std::string experiment;
  std::size_t back = 0;
};

Result<FromNewest> parse_from_newest(const std::string& reference) {
  FromNewest meant;
  const auto tilde = reference.find('~');
  meant.experiment = reference.substr(1, tilde == std::string::npos ? tilde : tilde - 1);
  if (!meant.experiment.empty()) ROOST_CHECK(check_experiment_name(meant.experiment));
  if (tilde == std::string::npos) return meant;
  const char* first = reference.data() + tilde + 1;
  const char* last = reference.data() + reference.size();
  const auto [end, error] = std::from_chars(first, last, meant.back);
  if (error != std::errc() || end != last || meant.back > kFurthestBack) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is no run: @ is the newest, @~1 the one before it, @birds~1 that of the experiment birds", printable(reference)));
  }
  return meant;
}

Result<Json> run_from_newest(Console& console, const std::string& reference) {
  ROOST_TRY(const FromNewest meant, parse_from_newest(reference));
  ROOST_TRY(ApiClient * client, console.client());
  std::string path = console.in_workspace("/runs");
  if (!meant.experiment.empty()) path += "?experiment=" + percent_encode(meant.experiment);
  ROOST_TRY(Json list, listed_runs(*client, path, meant.back + 1));
  const Json& items = child(list, "items");
  if (items.size() > meant.back) return items[meant.back];
  const std::string where = meant.experiment.empty() ? fmt::format("workspace \"{}\"", printable(console.workspace()))
                                                     : fmt::format("experiment \"{}\"", meant.experiment);
  if (items.empty()) return fail(ErrorCode::kNotFound, fmt::format("{} has no run yet; `roost submit` makes one", where));
  return fail(ErrorCode::kNotFound, fmt::format("{} has only {} run{}", where, items.size(), items.size() == 1 ? "" : "s"));
}

bool is_meant(const Json& run, const std::string& reference) {
  const std::string id = text_field(run, "id");
  // As tables show it where there is little room.
  const bool by_short_id = short_run_id(id) != id && reference.size() >= kLeastOfShortId && short_run_id(id).starts_with(reference);
  return id.starts_with(reference) || by_short_id || text_field(run, "display_name") == reference;
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
  if (reference == "latest") return run_from_newest(console, "@");
  if (reference.starts_with('@')) return run_from_newest(console, reference);
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
    if (is_meant(run, reference)) found.push_back(&run);
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
