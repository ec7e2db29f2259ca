#include <memory>
#include <string>

#include "cli/verbs/python_part.h"
#include "cli/verbs/server_verbs.h"

namespace roost {
namespace {

struct ImportOptions {
  std::string path;
  std::string python;
  std::string artifacts;
  bool quiet = false;
  bool try_out = false;
  bool offline = false;
};

// The analyser is Python, because it reads Python.
Result<int> import_azureml(Console& console, const ImportOptions& options) {
  PythonPart part{options.python, "roost/azureml_import/__main__.py", {}};
  if (console.json()) part.words.emplace_back("--json");
  if (options.quiet) part.words.emplace_back("--quiet");
  if (options.try_out) part.words.emplace_back("--try");
  if (options.offline) part.words.emplace_back("--offline");
  if (!console.colour(1)) part.words.emplace_back("--no-color");
  part.words.emplace_back("--");
  part.words.push_back(options.path);
  return become_python(console, part);
}

Result<int> import_mlflow(Console& console, const ImportOptions& options) {
  // Unlike the analyser it has nothing to do without a server.
  ROOST_CHECK(console.client());
  PythonPart part{options.python, "roost/mlflow_import/__main__.py", {"--workspace", console.workspace()}};
  if (console.json()) part.words.emplace_back("--json");
  if (options.quiet) part.words.emplace_back("--quiet");
  if (!options.artifacts.empty()) part.words.insert(part.words.end(), {"--artifacts", options.artifacts});
  part.words.emplace_back("--");
  part.words.push_back(options.path);
  return become_python(console, part);
}

}  // namespace

void register_import(Verb& root, Console& console) {
  auto options = std::make_shared<ImportOptions>();
  Verb& verb = root.verb("import", "Bring code written for another service, or what it has recorded").group(kTrainGroup);
  verb.verb("azureml", "Tell what will become of code for Azure ML SDK v1 here, line by line")
      .argument("PATH", options->path, "a folder, a script or a notebook; it is read, not run")
      .option("--python", options->python, "FILE", "the Python that your code runs in, and that reads it (default: python3)")
      .flag("-q,--quiet", options->quiet, "one line per file, and the sum")
      .flag("--try", options->try_out, "run what is foreseen to run, in a copy of its folder, and compare")
      .flag("--offline", options->offline, "ask no server, no package index and no address on the web")
      .details(
          "Says of each file: runs; runs with these changes, which Roost makes by itself or you have to make; lacks. "
          "Ends with 0 if all of it runs as it stands, 1 if not or if a trial came out otherwise, 2 if the input is "
          "bad.")
      .example("roost import azureml ./old-project")
      .example("roost import azureml ./old-project --try")
      .example("roost import azureml train.ipynb --json")
      .action([&console, options] { return import_azureml(console, *options); });
  verb.verb("mlflow", "Bring experiments, runs, files and registered models of an MLflow store into the workspace")
      .argument("STORE", options->path, "address of a server, the folder mlruns, or sqlite:///mlflow.db")
      .option("--artifacts", options->artifacts, "DIR", "where that server kept its files (default: mlartifacts beside the database)")
      .option("--python", options->python, "FILE", "the Python that does it (default: python3)")
      .flag("-q,--quiet", options->quiet, "nothing but what went wrong")
      .details(
          "Runs keep their ids, names, times, states, parameters, tags, metrics with their whole history, and files. "
          "Everything is read back and compared. Stopped in the middle, the same command goes on where it was; nothing "
          "comes twice. The store is only read. A server's login is taken from MLFLOW_TRACKING_TOKEN or "
          "MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD. Ends with 0 if all of it was brought and is equal, 1 if not, "
          "2 if the store cannot be read.")
      .example("roost import mlflow http://mlflow.example:5000")
      .example("roost import mlflow ./mlruns --workspace birds")
      .example("roost import mlflow sqlite:///mlflow.db --artifacts ./mlartifacts")
      .action([&console, options] { return import_mlflow(console, *options); });
}

}  // namespace roost
