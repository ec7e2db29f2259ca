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
  bool quiet = false;
  bool try_out = false;
  bool offline = false;
};

std::string choose_python(const ImportOptions& options) {
  if (!options.python.empty()) return options.python;
  return access(kUsualPython, X_OK) == 0 ? kUsualPython : "python3";
}

// The analyser is Python, because it reads Python; this process becomes it.
Result<int> import_azureml(Console& console, const ImportOptions& options) {
  std::filesystem::path cache = cache_folder();
  if (cache.empty()) cache = data_folder(console.data());
  ROOST_TRY(const std::filesystem::path sdk, unpack_sdk(cache));
  const std::string python = choose_python(options);
  // By its file: with -m Python would look for modules in the current folder first, and run them.
  std::vector<std::string> words = {python, sdk / "roost/azureml_import/__main__.py"};
  if (console.json()) words.emplace_back("--json");
  if (options.quiet) words.emplace_back("--quiet");
  if (options.try_out) words.emplace_back("--try");
  if (options.offline) words.emplace_back("--offline");
  if (!console.colour(1)) words.emplace_back("--no-color");
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

}  // namespace

void register_import(Verb& root, Console& console) {
  auto options = std::make_shared<ImportOptions>();
  Verb& verb = root.verb("import", "Bring code written for another service").group(kTrainGroup);
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
}

}  // namespace roost
