#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cli/verbs/server_verbs.h"
#include "cli/work/source_folder.h"
#include "runner/sdk.h"

namespace roost {
namespace {

constexpr const char* kUsualPython = "/usr/bin/python3";

struct ImportOptions {
  std::string path;
  std::string python;
  std::string artifacts;
  bool quiet = false;
  bool try_out = false;
  bool offline = false;
};

std::string choose_python(const ImportOptions& options) {
  if (!options.python.empty()) return options.python;
  return access(kUsualPython, X_OK) == 0 ? kUsualPython : "python3";
}

// This process becomes a program of the Python package, in its folder `package`.
Result<int> become_python(Console& console, const ImportOptions& options, const char* package,
                          const std::vector<std::string>& more) {
  std::filesystem::path cache = cache_folder();
  if (cache.empty()) cache = data_folder(console.data());
  ROOST_TRY(const std::filesystem::path sdk, unpack_sdk(cache));
  const std::string python = choose_python(options);
  // By its file: with -m Python would look for modules in the current folder first, and run them.
  std::vector<std::string> words = {python, sdk / "roost" / package / "__main__.py"};
  if (console.json()) words.emplace_back("--json");
  if (options.quiet) words.emplace_back("--quiet");
  words.insert(words.end(), more.begin(), more.end());
  words.emplace_back("--");
  words.push_back(options.path);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  setenv("PYTHONPATH", sdk.c_str(), 1);
  unsetenv("PYTHONHOME");
  if (!options.python.empty()) unsetenv("VIRTUAL_ENV");  // whose Python is the user's unless another is named
  if (!console.data().empty()) setenv("ROOST_DATA", console.data().c_str(), 1);
  if (const auto address = console.address()) {  // without a server less is foreseen
    setenv("ROOST_URL", address->url.c_str(), 1);
    setenv("ROOST_TOKEN", address->token.c_str(), 1);
    if (!address->ca_file.empty()) setenv("ROOST_CA_FILE", address->ca_file.c_str(), 1);
  }
  execvp(argv[0], argv.data());
  return fail(ErrorCode::kNotFound,
              fmt::format("cannot start {} ({}); this verb needs Python 3.8 or newer: install it, "
                          "or name one by --python",
                          python, std::strerror(errno)));
}

// The analyser is Python, because it reads Python.
Result<int> import_azureml(Console& console, const ImportOptions& options) {
  std::vector<std::string> words;
  if (options.try_out) words.emplace_back("--try");
  if (options.offline) words.emplace_back("--offline");
  if (!console.colour(1)) words.emplace_back("--no-color");
  return become_python(console, options, "azureml_import", words);
}

Result<int> import_mlflow(Console& console, const ImportOptions& options) {
  // Unlike the analyser it has nothing to do without a server.
  ROOST_CHECK(console.client());
  std::vector<std::string> words = {"--workspace", console.workspace()};
  if (!options.artifacts.empty()) words.insert(words.end(), {"--artifacts", options.artifacts});
  return become_python(console, options, "mlflow_import", words);
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
