#include <filesystem>
#include <future>
#include <memory>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/show/metric_text.h"
#include "cli/show/run_text.h"
#include "cli/show/sweep_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/git_info.h"
#include "cli/work/run_spec.h"
#include "cli/work/source_folder.h"
#include "cli/work/submit.h"
#include "cli/work/secret_options.h"
#include "cli/work/sweep_file.h"
#include "cli/work/sweep_reference.h"
#include "cli/work/sweep_space.h"
#include "cli/work/sweep_watch.h"
#include "net/router.h"

namespace roost {
namespace {

struct SweepOptions {
  std::string sweep;
  std::string file;
  std::string model;
  std::string model_path;
  std::vector<std::string> words;
  std::vector<std::string> secrets;
  std::optional<std::int64_t> max_runs;
  std::optional<std::int64_t> concurrency;
  std::int64_t top = 0;
  std::int64_t limit = 50;
  bool detach = false;
  bool once = false;
  bool now = false;
  bool quiet = false;
};

void say(const Console& console, const std::string& text) {
  std::fprintf(stderr, "%s\n", console.err()(Tone::kDim, text).c_str());
}

// The file's own folder is where its code is, and what a relative `source` begins at.
std::string source_folder(const SweepFile& sweep, const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  const std::filesystem::path source = sweep.source.empty() ? folder : folder / sweep.source;
  return source.empty() ? "." : source.string();
}

Result<Json> create_sweep(Console& console, SweepFile& sweep, const std::string& source) {
  ROOST_CHECK(console.client());  // no need to scan when there is no server
  Json& run = sweep.spec["run"];
  if (sweep.picks_python) {
    if (const std::string python = active_python(); !python.empty()) run["environment"]["python"] = python;
  }
  auto git = std::async(std::launch::async, [&source] { return git_info(source); });
  const auto tree = scan_source(source);
  if (Json info = git.get(); !info.is_null() && !info.empty()) run["git"] = std::move(info);
  if (!tree) return fail(tree.error());
  run["snapshot"] = tree->digest;
  auto made = post_once(console, console.in_workspace("/sweeps"), sweep.spec);
  if (made || !lacks_snapshot(made.error())) return made;
  ROOST_CHECK(upload_source(console, *tree));
  return post_once(console, console.in_workspace("/sweeps"), sweep.spec);
}

Result<int> start(Console& console, const SweepOptions& options) {
  ROOST_TRY(const std::string text, read_file(options.file));
  ROOST_TRY(SweepFile sweep, parse_sweep_file(text, options.file));
  for (const std::string& note : sweep.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  ROOST_CHECK(add_secrets(console, console.workspace(), options.secrets, sweep.spec["run"]));
  ROOST_TRY(const Json made, create_sweep(console, sweep, source_folder(sweep, options.file)));
  const std::string id = text_field(made, "id");
  if (options.detach) {
    if (console.json()) return console.print_json(made);
    Console::print(id + "\n");
    if (is_terminal(2)) say(console, "see it with `roost sweep show " + id + "`");
    return 0;
  }
  if (!console.json()) say(console, "sweep " + id);
  InterruptWatch watch;
  return watch_sweep(console, made, watch);
}

Result<int> show(Console& console, const SweepOptions& options) {
  if (options.top < 0) return fail(ErrorCode::kInvalidArgument, "--top must be at least 1");
  ROOST_TRY(const Json sweep, find_sweep(console, options.sweep));
  const bool over = is_terminal_status(text_field(sweep, "status"));
  if (over || options.once || options.top > 0 || console.json() || !is_terminal(1)) {
    return print_sweep(console, sweep, options.top);
  }
  InterruptWatch watch;
  return watch_sweep(console, sweep, watch);
}

Result<int> list(Console& console, const SweepOptions& options) {
  if (options.limit < 1) return fail(ErrorCode::kInvalidArgument, "--limit must be at least 1");
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json answer, client->get(console.in_workspace(fmt::format("/sweeps?limit={}", options.limit))));
  if (console.json()) return console.print_json(answer);
  const Json& sweeps = child(answer, "sweeps");
  if (options.quiet) {
    for (const Json& sweep : sweeps) Console::print(text_field(sweep, "id") + "\n");
    return 0;
  }
  if (sweeps.empty()) {
    std::fputs("no sweeps; `roost sweep start` makes one\n", stderr);
    return 0;
  }
  return Console::print(sweep_table(sweeps, now_micros()).text(console.out(), terminal_width(1)));
}

// What became of a sweep after a change: its document, or what it does now.
int print_change(const Console& console, const Json& sweep) {
  if (console.json()) return console.print_json(sweep);
  const std::string phase = text_field(sweep, "phase");
  const std::string message = text_field(sweep, "message");
  return Console::print(fmt::format("{}  {}{}\n", text_field(sweep, "id"), phase.empty() ? text_field(sweep, "status") : phase,
                                    message.empty() ? "" : ": " + message));
}

Result<int> update(Console& console, const SweepOptions& options, const Json& change) {
  ROOST_TRY(const Json sweep, find_sweep(console, options.sweep));
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json changed, client->call("PATCH", sweep_path(sweep), &change));
  return print_change(console, changed);
}

Result<int> pause(Console& console, const SweepOptions& options) { return update(console, options, {{"paused", true}}); }

Result<int> resume(Console& console, const SweepOptions& options) {
  return update(console, options, {{"paused", false}});
}

Result<int> stop(Console& console, const SweepOptions& options) {
  if (!options.now) return update(console, options, {{"stop", true}});
  ROOST_TRY(const Json sweep, find_sweep(console, options.sweep));
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_CHECK(client->post("/runs/" + percent_encode(text_field(sweep, "id")) + "/cancel", Json::object()));
  ROOST_TRY(const Json after, client->get(sweep_path(sweep)));
  return print_change(console, after);
}

Result<int> set(Console& console, const SweepOptions& options) {
  Json change = Json::object();
  if (options.max_runs) change["max_total_runs"] = *options.max_runs;
  if (options.concurrency) change["max_concurrent_runs"] = *options.concurrency;
  if (change.empty()) return fail(ErrorCode::kInvalidArgument, "say what to set: --max-runs N, --concurrency M or both");
  for (const auto& [name, value] : change.items()) {
    if (value.get<std::int64_t>() < 1) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} must be at least 1; `roost sweep pause` holds a sweep, `stop` ends it",
                              name == "max_total_runs" ? "--max-runs" : "--concurrency"));
    }
  }
  return update(console, options, change);
}

Result<int> add(Console& console, const SweepOptions& options) {
  // A first word without "=" names the sweep.
  const bool named = options.words.front().find('=') == std::string::npos;
  const std::vector<std::string> pairs(options.words.begin() + (named ? 1 : 0), options.words.end());
  ROOST_TRY(const Json sweep, find_sweep(console, named ? options.words.front() : "@"));
  ROOST_TRY(const Json parameters, parse_trial_parameters(child(child(sweep, "spec"), "space"), pairs));
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json trial, client->post(sweep_path(sweep, "/trials"), Json{{"parameters", parameters}}));
  if (console.json()) return console.print_json(trial);
  Console::print(text_field(trial, "run") + "\n");
  say(console, fmt::format("trial {}: {}", text_field(trial, "number"), parameters_text(sweep, parameters)));
  return 0;
}

Result<int> register_best(Console& console, const SweepOptions& options, const Json& sweep, const Json& best) {
  const std::string metric = text_field(child(child(sweep, "spec"), "metric"), "name");
  const Json body = {{"name", options.model},
                     {"run", text_field(best, "run")},
                     {"path", options.model_path},
                     {"properties", {{"sweep", text_field(sweep, "id")}, {metric, text_field(best, "value")}}}};
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json model, client->post(console.in_workspace("/models"), body));
  if (console.json()) return console.print_json(model);
  return Console::print(text_field(model, "id") + "\n");
}

Result<int> best(Console& console, const SweepOptions& options) {
  if (options.model.empty() != options.model_path.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "--register MODEL and --path PATH belong together, as in --register birds --path outputs/model.pt");
  }
  ROOST_TRY(const Json sweep, find_sweep(console, options.sweep));
  const Json& winner = child(sweep, "best");
  const std::string metric = text_field(child(child(sweep, "spec"), "metric"), "name");
  if (!winner.is_object()) {
    const bool over = is_terminal_status(text_field(sweep, "status"));
    return fail(ErrorCode::kNotFound,
                fmt::format("no trial of {} has logged \"{}\"{}; `roost sweep show {}` tells what they {}",
                            text_field(sweep, "id"), printable(metric), over ? "" : " yet", text_field(sweep, "id"),
                            over ? "did, `roost metrics RUN` what one did log" : "do"));
  }
  const std::string line = fmt::format("{} {} by trial {}: {}", metric, metric_value_text(child(winner, "value")),
                                       text_field(winner, "trial"), parameters_text(sweep, child(winner, "parameters")));
  if (!console.json()) say(console, line);
  if (!options.model.empty()) return register_best(console, options, sweep, winner);
  if (console.json()) return console.print_json(winner);
  // Alone on standard output, so that a script can take it.
  return Console::print(text_field(winner, "run") + "\n");
}

}  // namespace

void register_sweep(Verb& root, Console& console) {
  auto options = std::make_shared<SweepOptions>();
  const auto act = [&console, options](Result<int> (*what)(Console&, const SweepOptions&)) {
    return [&console, options, what] { return what(console, *options); };
  };
  const char* which = "its id, the beginning of it, or @ for the newest (default)";
  Verb& verb = root.verb("sweep", "Search for the best parameters with many runs").group(kTrainGroup);
  verb.verb("start", "Start the search that a file describes, and watch it")
      .argument("FILE", options->file, "a YAML file; docs/sweeps.md explains its keys")
      .option("--secret", options->secrets, "KEY[=NAME]", "a secret for every trial, as in `roost submit`")
      .flag("-d,--detach", options->detach, "do not wait: print the sweep's id and end")
      .details(
          "The file says what a trial runs (experiment, script, compute), which parameters are drawn and how "
          "(parameter_space, sampling), what is best (metric, goal), which trials are stopped early (policy) and "
          "how many there are (max_total_runs, max_concurrent_runs). The folder of the file, or its `source`, is "
          "snapshotted as `roost submit` does it. Ctrl-C leaves the sweep running.")
      .example("roost sweep start sweep.yaml")
      .example("roost sweep start examples/pytorch-birds/sweep.yaml -d")
      .action(act(start));
  verb.verb("show", "Show its trials: live on a terminal, once in a pipe")
      .optional_argument("SWEEP", options->sweep, which)
      .option("-n,--top", options->top, "N", "only the N best, best first")
      .flag("--once", options->once, "do not stay: show what there is by now")
      .details("The best trial is marked with *. A trial that was stopped early says why.")
      .example("roost sweep show")
      .example("roost sweep show HD_3f --top 5")
      .action(act(show));
  verb.verb("ls", "List sweeps, newest first")
      .option("-n,--limit", options->limit, "N", "at most so many (default: 50)")
      .flag("-q,--quiet", options->quiet, "print ids only")
      .example("roost sweep ls")
      .action(act(list));
  verb.verb("best", "Print the run of the best trial, or keep what it made as a model")
      .optional_argument("SWEEP", options->sweep, which)
      .option("--register", options->model, "MODEL", "register what the run left behind as this model")
      .option("--path", options->model_path, "PATH", "the file or folder of the run to register")
      .example("roost sweep best")
      .example("roost sweep best @ --register birds --path outputs/model.pt")
      .action(act(best));
  verb.verb("pause", "Start no more trials for now; those that run go on")
      .optional_argument("SWEEP", options->sweep, which)
      .example("roost sweep pause")
      .action(act(pause));
  verb.verb("resume", "Go on with a paused sweep")
      .optional_argument("SWEEP", options->sweep, which)
      .example("roost sweep resume")
      .action(act(resume));
  verb.verb("stop", "End it once the running trials are done")
      .optional_argument("SWEEP", options->sweep, which)
      .flag("--now", options->now, "cancel the running trials too")
      .example("roost sweep stop @ --now")
      .action(act(stop));
  verb.verb("set", "Change the limits of a running sweep")
      .optional_argument("SWEEP", options->sweep, which)
      .option("--max-runs", options->max_runs, "N", "trials in all")
      .option("--concurrency", options->concurrency, "M", "trials at a time")
      .example("roost sweep set --max-runs 40 --concurrency 8")
      .action(act(set));
  verb.verb("add", "Add a trial with parameters of your own")
      .arguments("NAME=VALUE", options->words, "every parameter; a first word without = names the sweep")
      .example("roost sweep add lr=0.01 momentum=0.9")
      .example("roost sweep add HD_3f lr=0.01 momentum=0.9")
      .action(act(add));
}

}  // namespace roost
