#include <filesystem>
#include <future>
#include <memory>

#include <fmt/format.h>

#include "cli/verbs/commands.h"
#include "cli/show/environment_form.h"
#include "cli/work/environment_build.h"
#include "cli/work/environment_file.h"
#include "cli/work/git_info.h"
#include "cli/work/large_upload.h"
#include "cli/work/run_spec.h"
#include "cli/work/shell_python.h"
#include "cli/work/secret_options.h"
#include "cli/work/source_folder.h"
#include "cli/work/submit.h"

namespace roost {
namespace {

struct SubmitOptions {
  bool yes = false;
  RunRequest request;
  std::string source;
  AfterSubmit after;
};

// What was not said: settings of this folder or user, then what the folder itself tells.
void fill_in(const Console& console, SubmitOptions& options) {
  RunRequest& request = options.request;
  if (request.experiment.empty()) request.experiment = console.setting("experiment");
  if (request.experiment.empty()) request.experiment = experiment_of_folder(options.source.empty() ? "." : options.source);
  if (request.compute.empty()) {
    const FoundSetting compute = console.explain("compute");
    if (!compute.origin.empty()) request.compute = compute.value;
  }
}

// The environment of files, registered, as NAME:VERSION; "" if no file was named.
Result<std::string> environment_of_files(Console& console, const RunRequest& request) {
  if (request.requirements.empty() && request.environment_file.empty()) return std::string();
  const int ways = (request.requirements.empty() ? 0 : 1) + (request.environment_file.empty() ? 0 : 1) +
                   (request.environment.empty() ? 0 : 1) + (request.python.empty() ? 0 : 1);
  if (ways > 1) {
    return fail(ErrorCode::kInvalidArgument, "-r, --environment-file, --environment and --python each say what to run in; give one of them");
  }
  ROOST_TRY(const Json definition, request.environment_file.empty() ? definition_of_requirements(request.requirements)
                                                                    : definition_of_file(request.environment_file));
  ROOST_TRY(const Json stored, register_definition(console, definition));
  return environment_id(stored);
}

Result<int> submit(Console& console, SubmitOptions& options) {
  fill_in(console, options);
  RunRequest& request = options.request;
  ROOST_TRY(const std::string of_files, environment_of_files(console, request));
  if (!of_files.empty()) request.environment = of_files;
  const bool says_python = !request.python.empty() || !request.environment.empty();
  if (!says_python) request.python = active_python();
  if (!says_python && request.python.empty()) note_other_python(console);
  ROOST_TRY(Json spec, make_spec(options.request));
  ROOST_CHECK(console.client());  // no need to scan when there is no server
  warn_of_shown(console, options.request.variables);
  ROOST_CHECK(add_secrets(console, console.workspace(), options.request.secrets, spec));
  const std::string source = options.source.empty() ? "." : options.source;
  // Both take milliseconds, so side by side.
  auto git = std::async(std::launch::async, [&source] { return git_info(source); });
  auto tree = scan_source(source);
  if (Json info = git.get(); !info.is_null() && !info.empty()) spec["git"] = std::move(info);
  if (!tree) return fail(tree.error());
  spec["snapshot"] = tree->digest;

  // Most folders are on the server already, so the run is handed in before anything else is asked.
  {
    InterruptWatch watch;
    const auto run = post_run(console, console.workspace(), spec);
    if (run) return after_submit(console, *run, options.after, watch);
    if (!lacks_snapshot(run.error())) return fail(run.error());
    if (watch.signal() != 0) return 128 + watch.signal();
  }
  ROOST_CHECK(confirm_upload(console, *tree, options.yes));
  ROOST_CHECK(upload_source(console, *tree));
  InterruptWatch watch;
  ROOST_TRY(const Json run, post_run(console, console.workspace(), spec));
  return after_submit(console, run, options.after, watch);
}

}  // namespace

void register_submit(Verb& root, Console& console) {
  auto options = std::make_shared<SubmitOptions>();
  RunRequest& request = options->request;
  root.verb("submit", "Hand in a folder and a command, watch the run, end with its exit code")
      .group(kTrainGroup)
      .ends_as_run()
      .details(
          "The folder is snapshotted (without what .amlignore, else .gitignore leaves out) and "
          "only\n"
          "what the server lacks of it is uploaded. Ctrl-C leaves the run running.")
      .option("-e,--experiment", request.experiment, "NAME",
              "experiment the run belongs to (default: see `roost config`, else the name of the folder)")
      .option("-c,--compute", request.compute, "NAME", "where to run it (default: local)")
      .option("-s,--source", options->source, "DIR", "folder with the code (default: this one)")
      .option("-n,--name", request.name, "TEXT", "a name for people")
      .option("-t,--tag", request.tags, "KEY[=VALUE]", "a tag to find it by")
      .option("--env", request.variables, "KEY[=VALUE]",
              "an environment variable; without a value, the one it has here")
      .option("--secret", request.secrets, "KEY[=NAME]",
              "a secret as the variable KEY: that of the workspace, else the value it has here")
      .option("--python", request.python, "PATH",
              "interpreter to use (default: that of the active virtual or conda environment)")
      .option("--environment", request.environment, "NAME[:VERSION]",
              "a registered or curated environment to run in, built if it is not yet")
      .option("-r,--requirements", request.requirements, "FILE", "pip requirements to run with, built if they are not yet")
      .option("--environment-file", request.environment_file, "FILE",
              "conda.yml, Dockerfile, pyproject.toml or uv.lock to run with, built if it is not yet")
      .option("--pins", request.pins, "KIND",
              "strict, or nearest: take the nearest version that can be had")
      .option("--nodes", request.nodes, "N", "on so many nodes at once (default: 1)")
      .option("--processes", request.processes, "N",
              "so many processes in all, which find one another as PyTorch's do (default: one a node)")
      .option("--processes-per-node", request.per_node, "N", "the same, counted on each node")
      .option("--gpus", request.gpus, "N", "so many GPUs on each node for the run alone; it waits until they are free")
      .option("--cpus", request.cpus, "N", "so many CPUs on each node for the run alone")
      .option("--memory", request.memory, "SIZE", "so much memory on each node: 16g, 900m")
      .flag("--mpi", request.mpi, "start them with mpirun, as MPI programs and Horovod need it")
      .flag("--all-ranks", options->after.all_ranks,
            "show the output of all processes, not only the first's")
      .option("--priority", request.priority, "N",
              "runs with a higher one start first (default: 0)")
      .option("--max-retries", request.max_retries, "N", "try again so often when its node is lost")
      .option("--time-limit", request.time_limit, "TIME", "cancel it after this long: 90s, 2h")
      .flag("-y,--yes", options->yes, "upload without a question, however much it is")
      .option("--notify", request.notify, "CHANNEL[:EVENTS]",
              "tell this channel when it ends, or of failure,hang,divergence,idle_gpu; see roost alerts")
      .flag("-d,--detach,--no-follow", options->after.detach, "do not wait: print the run's id and end")
      .command(request.command,
               "what to run in the folder; a single word with blanks is a shell line")
      .example("roost submit -- python train.py --epochs 30")
      .example("roost submit -r requirements.txt -- python train.py")
      .example("roost submit -e birds -c gpu-cluster -s ./src --tag lr=0.1 -d -- python train.py")
      .example("roost submit --environment birds-env --pins nearest -- python train.py")
      .example("roost submit -e birds --nodes 2 --processes 4 --all-ranks -- python train.py")
      .example("roost submit -e birds --gpus 2 --memory 32g -- python train.py")
      .example("roost submit -e birds -- 'python prepare.py && python train.py'")
      .action([&console, options] { return submit(console, *options); });
}

}  // namespace roost
