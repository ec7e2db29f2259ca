#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/fact_list.h"
#include "cli/show/model_text.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/model_job.h"
#include "cli/work/model_reference.h"
#include "cli/work/submit.h"
#include "net/router.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string model;
  std::string to = "onnx";
  std::vector<std::string> inputs;
  std::string function;
  std::string file;
  std::string script;
  std::string code;
  std::string name;
  std::string environment;
  std::string python;
  std::string compute;
  std::string tolerance;
  std::optional<std::int64_t> opset;
  bool fixed_shapes = false;
  bool no_check = false;
  bool detach = false;
};

Status check(const ExportOptions& options) {
  if (options.to != "onnx") {
    return fail(ErrorCode::kInvalidArgument, fmt::format("--to {}: models are exported to onnx", printable(options.to)));
  }
  if (options.inputs.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "the shapes of the model's inputs are not known: give --input 2x3x224x224, or one for each as in "
                "--input ids=2x16:int64 --input mask=2x16");
  }
  if (!options.environment.empty() && !options.python.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--python and --environment both say what to run in; give one of them");
  }
  return {};
}

// A file of this machine in --model-function brings its folder along.
void take_local_function(ExportOptions& options) {
  const std::size_t end = options.function.find(".py:");
  if (end == std::string::npos || !options.code.empty()) return;
  const fs::path file = options.function.substr(0, end + 3);
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return;
  options.code = file.has_parent_path() ? file.parent_path().string() : ".";
  options.function = file.filename().string() + options.function.substr(end + 3);
}

std::vector<std::string> export_command(const ExportOptions& options, const Json& model, const Json& run) {
  std::vector<std::string> words = {"python",          "-m", "roost.inference.export_onnx", "--model", "$ROOST_MODEL",
                                    "--exported-from", text_field(model, "id")};
  const auto add = [&words](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  add("--register", options.name.empty() ? text_field(model, "name") : options.name);
  for (const std::string& input : options.inputs) add("--input", input);
  add("--model-function", options.function);
  add("--file", options.file);
  add("--script", options.script.empty() ? script_of(run) : options.script);
  if (options.opset) add("--opset", std::to_string(*options.opset));
  add("--tolerance", options.tolerance);
  if (options.fixed_shapes) words.emplace_back("--fixed-shapes");
  if (options.no_check) words.emplace_back("--no-check");
  return words;
}

Result<Json> export_spec(Console& console, const ExportOptions& options) {
  ModelJob job;
  job.kind = "export";
  ROOST_TRY(job.model, find_model(console, options.model));
  ROOST_TRY(job.made_by, run_of_model(console, job.model));
  job.command = export_command(options, job.model, job.made_by);
  job.compute = options.compute;
  job.environment = options.environment;
  job.python = options.python;
  if (!options.code.empty()) {
    ROOST_TRY(job.snapshot, upload_code(console, options.code));
  }
  return model_job_spec(job);
}

Result<int> print_exported(Console& console, const Json& run) {
  ROOST_TRY(ApiClient * client, console.client());
  const std::string id = text_field(run, "id");
  ROOST_TRY(const Json models, client->get(console.in_workspace("/models?limit=1&run=" + percent_encode(id))));
  const Json& items = child(models, "items");
  if (items.empty()) {
    return fail(ErrorCode::kInternal, fmt::format("the run {} registered no model; `roost logs {}` tells more", id, id));
  }
  const Json& model = items.front();
  if (console.json()) return console.print_json(model);
  std::fputs(exported_text(model, console.err()).c_str(), stderr);
  // Alone on standard output, so that a script can take it.
  return Console::print(text_field(model, "id") + "\n");
}

Result<int> export_model(Console& console, ExportOptions options) {
  ROOST_CHECK(check(options));
  take_local_function(options);
  ROOST_TRY(const Json spec, export_spec(console, options));
  InterruptWatch watch;
  if (options.detach) {
    ROOST_TRY(const Json run, post_run(console, console.workspace(), spec));
    return after_submit(console, run, {.detach = true, .all_ranks = false}, watch);
  }
  ROOST_TRY(const Json run, do_model_job(console, spec, watch));
  if (run.is_null()) return 128 + watch.signal();
  if (const int code = run_exit_code(run); code != 0) {
    std::fprintf(stderr, "%s\n", run_outcome(run, now_micros()).c_str());
    return code;
  }
  return print_exported(console, run);
}

}  // namespace

void register_model_export(Verb& model, Console& console) {
  auto options = std::make_shared<ExportOptions>();
  model.verb("export", "Make an ONNX model of a PyTorch model, compare the two, and register it")
      .argument("MODEL", options->model, "its name for the newest version, or NAME:VERSION")
      .option("-i,--input", options->inputs, "[NAME=]SHAPE[:TYPE]",
              "an input of the model, like 2x3x224x224 or ids=2xlength@16:int64:30522")
      .option("--to", options->to, "FORMAT", "onnx, which is all there is by now")
      .option("-f,--model-function", options->function, "MODULE:FUNCTION",
              "what makes the network, for a model that is a state dict: net:make, net.py:Net(classes=2)")
      .option("--file", options->file, "PATH", "which file of the model it is, if there are several")
      .option("--script", options->script, "FILE", "the script that saved it, if its run does not tell")
      .option("--code", options->code, "DIR", "folder with the model's code (default: that of its run)")
      .option("-n,--name", options->name, "NEW", "register it by this name (default: as the next version of the same)")
      .option("--opset", options->opset, "N", "version of ONNX's operators (default: what PyTorch takes)")
      .option("--tolerance", options->tolerance, "X", "how far the outputs may differ (default: 1e-4)")
      .flag("--fixed-shapes", options->fixed_shapes, "for exactly these shapes, not for any batch size")
      .flag("--no-check", options->no_check, "do not compare it with PyTorch")
      .option("--environment", options->environment, "NAME[:VERSION]", "run it in this (default: that of the model's run)")
      .option("--python", options->python, "PATH", "run it with this interpreter instead")
      .option("-c,--compute", options->compute, "NAME", "where to run it (default: where the model was made)")
      .flag("-d,--detach,--no-follow", options->detach, "do not wait: print the run's id and end")
      .details(
          "A run in the environment and with the code of the run that made the model loads it (a whole module, "
          "TorchScript, or a state dict with --model-function), exports it with a batch of any size, compares it with "
          "PyTorch on random inputs at two batch sizes and registers it with its lineage. A dimension written as "
          "NAME@SIZE may have any size as well; whole numbers are drawn below the number after the type.")
      .example("roost model export birds --input 2x3x224x224")
      .example("roost model export birds:3 -i 2x12 --model-function train:Net --name birds-onnx")
      .example("roost model export words -i ids=2xlength@16:int64:30522 -i mask=2xlength@16:int64")
      .action([&console, options] { return export_model(console, *options); });
}

}  // namespace roost
