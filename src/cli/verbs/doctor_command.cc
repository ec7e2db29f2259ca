#include <memory>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/verbs/commands.h"
#include "cli/work/run_reference.h"
#include "cli/work/run_spec.h"
#include "cli/work/submit.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(100);
constexpr const char* kProbe = "python -m roost.doctor";

// The run that looks at the nodes: as many as the run or compute in question has, in its environment.
Result<Json> probe_spec(Console& console, ApiClient& client, const std::string& target, std::int64_t nodes) {
  Json spec = {{"experiment", "roost-doctor"}, {"command", kProbe}, {"max_run_duration_seconds", 120}};
  const auto run = find_run(console, target);
  if (run) {
    const Json& asked = run->at("spec");
    spec["compute"] = text_field(*run, "compute");
    if (nodes == 0) nodes = asked.value("node_count", std::int64_t{1});
    for (const char* part : {"environment", "environment_variables", "secrets"}) {
      if (asked.contains(part)) spec[part] = asked[part];
    }
    leave_out_masked(spec);
  } else {
    auto compute = client.get(console.in_workspace("/computes/" + percent_encode(target)));
    if (!compute) {
      return fail(ErrorCode::kNotFound, fmt::format("\"{}\" is neither a run nor a compute; 'roost runs' and 'roost "
                                                    "compute ls' list them",
                                                    printable(target)));
    }
    spec["compute"] = target;
    if (nodes == 0) nodes = compute->value("max_nodes", std::int64_t{1});
  }
  spec["display_name"] = fmt::format("doctor of {}", target).substr(0, 200);
  spec["distributed"] = {{"kind", "pytorch"}, {"node_count", nodes}};
  return spec;
}

Result<Json> wait_for(ApiClient& client, Json run, InterruptWatch& watch) {
  while (!is_terminal_status(text_field(run, "status"))) {
    if (watch.token().stop_requested()) {
      return fail(ErrorCode::kUnavailable, fmt::format("left alone; 'roost cancel {}' ends it", text_field(run, "id")));
    }
    std::this_thread::sleep_for(kBetweenLooks);
    ROOST_TRY(run, client.get(run_path(run)));
  }
  return run;
}

Result<Json> report_of(ApiClient& client, const Json& run) {
  ClientRequest request;
  request.target = run_path(run, "/logs/azureml-logs/70_driver_log.txt");
  ROOST_TRY(const ClientResponse log, client.send(std::move(request)));
  for (const auto& line : split(log.body, '\n')) {
    if (auto report = parse_json(line, "the report"); report && report->is_object()) return report;
  }
  const Json error = run.value("error", Json::object());
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("the nodes could not be looked at: {} ('roost logs {}' has the rest)",
                          error.is_object() ? text_field(error, "message") : "no report", text_field(run, "id")));
}

Tone tone_of(const std::string& state) {
  return state == "ok" ? Tone::kGreen : state == "warning" ? Tone::kYellow : Tone::kRed;
}

Result<int> examine(Console& console, const std::string& target, std::int64_t nodes) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json spec, probe_spec(console, *client, target, nodes));
  InterruptWatch watch;
  ROOST_TRY(const Json posted, post_run(console, console.workspace(), spec));
  ROOST_TRY(const Json run, wait_for(*client, posted, watch));
  const Json archived = {{"archived", true}};
  (void)client->call("PATCH", run_path(run), &archived);  // it is nobody's training; if it stays in the list, that is no harm
  ROOST_TRY(const Json report, report_of(*client, run));
  bool sound = true;
  TextTable table({{"check"}, {"state"}, {"seen", false, true}});
  for (const auto& check : report.value("checks", Json::array())) {
    const std::string state = text_field(check, "state");
    sound = sound && state != "failed";
    table.add({text_field(check, "name"), {state, tone_of(state)}, text_field(check, "detail")});
  }
  if (console.json()) {
    console.print_json(report);
    return sound ? 0 : 1;
  }
  Console::print(table.text(console.out(), 0));
  return sound ? 0 : 1;
}

}  // namespace

void register_doctor(Verb& root, Console& console) {
  struct Options {
    std::string target;
    std::int64_t nodes = 0;
  };
  auto options = std::make_shared<Options>();
  root.verb("doctor", "Check whether the nodes of a run or compute can meet")
      .group(kLookGroup)
      .argument("RUN|COMPUTE", options->target, "whose nodes: a run's id or @, or a compute's name")
      .option("--nodes", options->nodes, "N", "how many (default: as the run has, or all the compute may have)")
      .example("roost doctor @")
      .example("roost doctor cluster --nodes 2")
      .action([&console, options] { return examine(console, options->target, options->nodes); });
}

}  // namespace roost
