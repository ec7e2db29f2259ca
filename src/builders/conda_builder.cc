#include "builders/conda_builder.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "builders/program.h"

namespace roost {
namespace {

// A JSON text is YAML too, and no package name can break out of it.
std::string specification(const BuildOrder& order) {
  const EnvironmentPlan& plan = order.plan;
  Json dependencies = Json::array();
  std::string python = plan.python;
  if (!python.empty() && python.find_first_of("=<>!~") == std::string::npos) python.insert(0, "=");
  dependencies.push_back("python" + python);
  for (const auto& package : plan.conda) dependencies.push_back(package);
  if (!plan.pip.empty()) {
    dependencies.push_back("pip");
    dependencies.push_back({{"pip", plan.pip}});
  }
  return to_text({{"channels", plan.channels.empty() ? std::vector<std::string>{"conda-forge"} : plan.channels},
                  {"dependencies", std::move(dependencies)}});
}

}  // namespace

std::string find_conda() {
  for (const char* name : {"micromamba", "mamba", "conda"}) {
    if (std::string path = find_program(name); !path.empty()) return path;
  }
  return "";
}

Result<BuiltEnvironment> build_conda(const BuildOrder& order, const std::string& conda, const BuildLog& log) {
  const std::string file = order.folder + ".yml";
  ROOST_CHECK(write_file_atomic(file, specification(order)));
  log(fmt::format("Step 1/2: packages, installed by {}", conda));
  const bool micro = conda.ends_with("micromamba");
  ProgramRun run;
  run.words = micro ? std::vector<std::string>{conda, "create", "-y", "-p", order.folder, "-f", file}
                    : std::vector<std::string>{conda, "env", "create", "-y", "-p", order.folder, "-f", file};
  run.variables = {{"CONDA_OVERRIDE_CUDA", ""}, {"PIP_NO_INPUT", "1"}, {"NO_COLOR", "1"}};
  std::vector<std::string> said;
  run.on_line = [&](std::string_view line) {
    log(line);
    const std::string_view text = trim(line);
    const bool matters = text.find("nothing provides") != std::string_view::npos ||
                         text.find("does not exist") != std::string_view::npos ||
                         text.find("PackagesNotFound") != std::string_view::npos ||
                         text.find("conflict") != std::string_view::npos ||
                         text.find("rror") != std::string_view::npos;
    if (matters && said.size() < 3) said.emplace_back(text);
  };
  ROOST_TRY(const int code, run_to_end(run));
  std::error_code error;
  std::filesystem::remove(file, error);
  if (code != 0) {
    std::string message = fmt::format("conda could not make the environment (exit code {})", code);
    for (const auto& line : said) message += "; " + line;
    return fail(ErrorCode::kFailedPrecondition, message);
  }
  log("Step 2/2: the exact versions");
  BuiltEnvironment built;
  built.builder = "conda";
  built.python = order.folder + "/bin/python";
  // conda-meta holds a file a package: name-version-build.json.
  for (const auto& entry : std::filesystem::directory_iterator(order.folder + "/conda-meta", error)) {
    if (entry.path().extension() != ".json") continue;
    const auto text = read_file(entry.path());
    const auto meta = text ? Json::parse(*text, nullptr, false) : Json();
    if (!meta.is_object()) continue;
    built.lock.push_back(fmt::format("{}={}={}", meta.value("name", ""), meta.value("version", ""),
                                     meta.value("build", meta.value("build_string", ""))));
  }
  std::sort(built.lock.begin(), built.lock.end());
  for (const auto& line : built.lock) log(line);
  return built;
}

}  // namespace roost
