#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/show/endpoint_text.h"
#include "cli/show/progress_bar.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/model_files.h"
#include "cli/work/model_job.h"
#include "cli/work/model_reference.h"
#include "cli/work/run_outputs.h"
#include "client/snapshot_transport.h"

namespace roost {
namespace {

namespace fs = std::filesystem;
constexpr const char* kScores = "outputs/scores";

struct ScoreOptions {
  std::string model;
  std::string input;
  std::string output;
  std::string code;
  std::string entry;
  std::string environment;
  std::string python;
  std::string compute;
  std::string mean;
  std::string std;
  std::optional<std::int64_t> mini_batch;
  std::optional<std::int64_t> workers;
  std::optional<std::int64_t> error_threshold;
};

Status check(const ScoreOptions& options) {
  if (!options.environment.empty() && !options.python.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--python and --environment both say what to run in; give one of them");
  }
  for (const auto& [count, name] : {std::pair(options.mini_batch, "--mini-batch"), std::pair(options.workers, "--workers")}) {
    if (count && *count < 1) return fail(ErrorCode::kInvalidArgument, fmt::format("{} must be 1 or more", name));
  }
  return {};
}

// The files to score, as an input of the run.
Result<Json> upload_inputs(Console& console, const fs::path& folder) {
  ROOST_TRY(const ModelFiles files, read_model_files(folder));
  if (files.manifest.entries.empty()) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{} has no files to score", folder.string()));
  }
  ROOST_TRY(ServerAddress address, console.address());
  ProgressBar bar("Uploading", 0, console.err(), console.json());
  TransferOptions transfer;
  transfer.progress = [&bar](const TransferProgress& progress) {
    bar.set_total(progress.bytes_total);
    bar.update(progress.bytes_done);
  };
  ROOST_CHECK(upload_model_files(files, http_transports(std::move(address)), transfer));
  return Json{{"name", "roost_data"}, {"content", files.digest}};
}

std::vector<std::string> score_command(const ScoreOptions& options, const Json& model, const std::string& data) {
  std::vector<std::string> words = {"python",       "-m", "roost.inference.score_files", "--model", "$ROOST_MODEL", "--model-name",
                                    text_field(model, "id"), "--input", data, "--output", kScores};
  const auto add = [&words](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  const auto number = [&add](const char* name, const std::optional<std::int64_t>& value) {
    if (value) add(name, std::to_string(*value));
  };
  add("--entry", options.entry);
  add("--mean", options.mean);
  add("--std", options.std);
  number("--mini-batch", options.mini_batch);
  number("--workers", options.workers);
  number("--error-threshold", options.error_threshold);
  return words;
}

Result<Json> score_spec(Console& console, ScoreOptions options) {
  ModelJob job;
  job.kind = "score";
  ROOST_TRY(job.model, find_model(console, options.model));
  if (!options.code.empty() && options.entry.empty()) options.entry = "score.py";
  if (options.code.empty() && !options.entry.empty()) {
    const fs::path entry = options.entry;
    options.code = entry.has_parent_path() ? entry.parent_path().string() : ".";
    options.entry = entry.filename().string();
  }
  job.alone = options.entry.empty();  // Roost's own program does it
  if (!job.alone) {
    ROOST_TRY(job.made_by, run_of_model(console, job.model));
    ROOST_TRY(job.snapshot, upload_code(console, options.code));
  }
  std::error_code error;
  const fs::path folder = fs::canonical(options.input, error);
  if (error) return fail(ErrorCode::kNotFound, fmt::format("there is no {} to score", options.input));
  ROOST_TRY(Json data, upload_inputs(console, folder));
  job.inputs.push_back(std::move(data));
  const bool is_folder = fs::is_directory(folder, error);
  job.command = score_command(options, job.model, is_folder ? "$ROOST_DATA/" + folder.filename().string() : "$ROOST_DATA");
  job.environment = options.environment;
  job.python = options.python;
  job.compute = options.compute;
  return model_job_spec(job);
}

// What could not be scored, as the run's summary says.
Result<Json> read_summary(const fs::path& folder) {
  ROOST_TRY(const std::string text, read_file((folder / "summary.json").string()));
  return parse_json(text, "summary.json");
}

Result<int> score(Console& console, const ScoreOptions& options) {
  ROOST_CHECK(check(options));
  ROOST_TRY(const Json spec, score_spec(console, options));
  InterruptWatch watch;
  ROOST_TRY(const Json run, do_model_job(console, spec, watch));
  if (run.is_null()) return 128 + watch.signal();
  // Also of a run that failed: what could be scored is there.
  ROOST_TRY(const std::size_t count, download_outputs(console, run, std::string(kScores) + "/", options.output));
  const int code = run_exit_code(run);
  const auto summary = count > 0 ? read_summary(options.output) : Result<Json>(Json());
  if (!summary || !summary->is_object()) {
    std::fprintf(stderr, "%s\n", run_outcome(run, now_micros()).c_str());
    return code == 0 ? 1 : code;
  }
  if (console.json()) {
    console.print_json(*summary);
    return code;
  }
  Console::print(fmt::format("{} of {} files scored, in {}\n", text_field(*summary, "scored"), text_field(*summary, "files"),
                             options.output));
  for (const Json& failed : child(*summary, "failed")) {
    std::fprintf(stderr, "failed %s: %s\n", printable(text_field(failed, "file")).c_str(),
                 printable(text_field(failed, "error")).c_str());
  }
  return code;
}

}  // namespace

void register_score(Verb& root, Console& console) {
  auto options = std::make_shared<ScoreOptions>();
  root.verb("score", "Send every file of a folder through a model, as a run")
      .group(kServeGroup)
      .argument("MODEL", options->model, "its name for the newest version, or NAME:VERSION")
      .required_option("-i,--input", options->input, "DIR", "folder with what to score: .npy, .npz, .json, .csv, pictures")
      .required_option("-o,--output", options->output, "DIR", "folder for the results, one file each, and summary.json")
      .option("--code", options->code, "DIR", "folder with a script that scores, for models that are not ONNX")
      .option("--entry", options->entry, "FILE", "that script (default: score.py), with init() and run(mini_batch)")
      .option("--mini-batch", options->mini_batch, "N", "files the script gets at once (default: 10)")
      .option("--workers", options->workers, "N", "files that are scored at once (default: 4)")
      .option("--mean", options->mean, "NUMBERS", "of the colours of pictures, like 0.485,0.456,0.406")
      .option("--std", options->std, "NUMBERS", "by which they are divided")
      .option("--error-threshold", options->error_threshold, "N", "so many files may fail (default: 0)")
      .option("--environment", options->environment, "NAME[:VERSION]",
              "run it in this (a script's default: what the model was trained in)")
      .option("--python", options->python, "PATH", "an interpreter instead")
      .option("-c,--compute", options->compute, "NAME", "where to run it (default: local)")
      .details(
          "An ONNX model is run by Roost itself. A picture is brought to the size of the model's input, its colours to 0..1, "
          "which takes Pillow in the environment. What cannot be scored is named, and the rest is done all the same.")
      .example("roost score birds:4 --input pictures --output scores")
      .example("roost score birds -i rows -o out --code batch --entry score.py --mini-batch 50")
      .action([&console, options] { return score(console, *options); });
}

}  // namespace roost
