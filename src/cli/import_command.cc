#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cli/server_verbs.h"
#include "cli/source_folder.h"
#include "runner/sdk.h"

namespace roost {
namespace {

constexpr const char* kUsualPython = "/usr/bin/python3";

struct ImportOptions {
  std::string path;
  std::string python;
  bool quiet = false;
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
  if (!console.colour(1)) words.emplace_back("--no-color");
  words.emplace_back("--");
  words.push_back(options.path);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  setenv("PYTHONPATH", sdk.c_str(), 1);
  unsetenv("PYTHONHOME");
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
  verb.verb("azureml", "Tell what of code for Azure ML SDK v1 runs here, line by line")
      .argument("PATH", options->path, "a folder, a script or a notebook; it is read, never run")
      .option("--python", options->python, "FILE", "the Python that reads it (default: python3)")
      .flag("-q,--quiet", options->quiet, "one line per file, and the sum")
      .details(
          "Ends with 0 if all of it runs, 1 if something lacks or could not be read, 2 if "
          "the input is bad.")
      .example("roost import azureml ./old-project")
      .example("roost import azureml train.ipynb --json")
      .action([&console, options] { return import_azureml(console, *options); });
}

}  // namespace roost
