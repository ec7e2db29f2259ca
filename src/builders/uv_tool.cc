#include "builders/uv_tool.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "builders/package_sources.h"
#include "builders/pip_install.h"
#include "builders/program.h"
#include "domain/version.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr auto kTryAgainAfter = std::chrono::minutes(10);
constexpr const char* kOldestUv = "0.9.8";  // the first with --excludes

bool is_new_enough(const std::string& uv) {
  const auto text = output_of({uv, "--version"});
  if (!text) return false;
  const auto words = split(std::string(trim(*text)), ' ');
  const auto version = words.size() > 1 ? parse_version(words[1]) : std::nullopt;
  return version && compare_versions(*version, *parse_version(kOldestUv)) >= 0;
}

// pip puts the distribution into `folder` as a whole or not at all. Two builds may do so at once: the first stays.
bool fetch(const BuildSettings& settings, const std::string& name, const fs::path& folder, const BuildLog& log) {
  if (settings.offline || settings.tools.empty()) return false;
  std::error_code error;
  if (failed_lately(settings, name)) return false;
  if (!make_folders(folder.parent_path())) return false;
  const std::string python = settings.python.empty() ? "/usr/bin/python3" : settings.python;
  // Ready-made wheels only: nothing of what is fetched is run.
  BuildOrder plain;
  plain.settings = settings;
  const auto pip = find_pip(plain, python, python, log);
  if (!pip) return false;
  const fs::path made = fmt::format("{}-{}", folder.string(), random_hex(4));
  ProgramRun run;
  run.words = *pip;
  run.words.insert(run.words.end(), {"install", "--quiet", "--no-deps", "--only-binary", ":all:", "--target", made.string()});
  const auto from = pip_sources(settings);
  run.words.insert(run.words.end(), from.begin(), from.end());
  run.words.push_back(name);
  run.variables = package_sources(settings, {}, "").variables;
  run.variables["PIP_RETRIES"] = "1";  // without it the build goes on in another way
  run.variables["PIP_DEFAULT_TIMEOUT"] = run.variables["PIP_TIMEOUT"] = "15";
  std::string last;
  run.on_line = [&](std::string_view line) { last = trim(line); };
  const auto code = run_to_end(run);
  if (code && *code == 0) {
    fs::rename(made, folder, error);
    if (error) (void)remove_tree(made);
    log(fmt::format("{} was fetched from the package index, once", name));
    return true;
  }
  (void)remove_tree(made);
  note_failed(settings, name, last);
  log(fmt::format("{} could not be fetched from the package index: {}", name, last));
  return false;
}

}  // namespace

bool failed_lately(const BuildSettings& settings, const std::string& what) {
  std::error_code error;
  const auto then = fs::last_write_time(fs::path(settings.tools) / (what + ".failed"), error);
  return !error && fs::file_time_type::clock::now() - then < kTryAgainAfter;
}

void note_failed(const BuildSettings& settings, const std::string& what, std::string_view why) {
  if (settings.tools.empty() || !make_folders(settings.tools)) return;
  (void)write_file_atomic(fs::path(settings.tools) / (what + ".failed"), why);
}

std::string find_uv(const BuildSettings& settings, const BuildLog& log) {
  if (settings.uv == "none") return "";
  if (!settings.uv.empty()) return settings.uv;
  if (const std::string uv = find_program("uv"); !uv.empty() && is_new_enough(uv)) return uv;
  if (settings.tools.empty()) return "";
  const fs::path folder = fs::path(settings.tools) / "uv";
  const std::string uv = folder / "bin" / "uv";
  if (::access(uv.c_str(), X_OK) == 0) return uv;
  if (!fetch(settings, "uv", folder, log)) return "";
  return ::access(uv.c_str(), X_OK) == 0 ? uv : "";
}

std::string find_fetched_python(const BuildSettings& settings, const std::string& name, const BuildLog& log) {
  if (settings.tools.empty()) return "";
  const fs::path folder = fs::path(settings.tools) / name;
  if (!fs::exists(folder) && !fetch(settings, name, folder, log)) return "";
  // A small program in front of the interpreter: whoever starts it finds what lies in the folder.
  const std::string python = folder / "python";
  if (::access(python.c_str(), X_OK) == 0) return python;
  const std::string base = settings.python.empty() ? "/usr/bin/python3" : settings.python;
  const std::string text = fmt::format("#!/bin/sh\nPYTHONPATH={} exec {} \"$@\"\n", shell_quote(folder.string()), shell_quote(base));
  if (!write_file_atomic(python, text)) return "";
  return ::chmod(python.c_str(), 0755) == 0 ? python : "";
}

}  // namespace roost
