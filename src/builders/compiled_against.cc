#include "builders/compiled_against.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "builders/program.h"
#include "builders/requirement.h"
#include "domain/version.h"

namespace roost {
namespace {

// Only those that tell what they need without it: the versions are settled before anything is installed.
constexpr auto kNames = std::to_array<std::string_view>({"horovod", "mmcv", "mmcv-full"});

bool has(const std::vector<std::string>& lock, std::initializer_list<std::string_view> names) {
  return std::any_of(lock.begin(), lock.end(), [&](const std::string& line) {
    return std::find(names.begin(), names.end(), parse_requirement(line).name) != names.end();
  });
}

bool is_before(const std::vector<std::string>& lock, std::string_view name, std::string_view first) {
  return std::any_of(lock.begin(), lock.end(), [&](const std::string& line) {
    const Requirement one = parse_requirement(line);
    const auto version = one.name == name && one.is_exact() ? parse_version(std::string_view(one.condition).substr(2)) : std::nullopt;
    return version && compare_versions(*version, *parse_version(first)) < 0;
  });
}

}  // namespace

bool is_compiled_against_others(std::string_view name) {
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::vector<std::string> compile_tools() {
  // Old sources know nothing of later ones; a Python without distutils needs them.
  return {"setuptools<60 ; python_version < '3.12'", "setuptools<80 ; python_version >= '3.12'", "wheel<0.46", "packaging",
          "cffi"};
}

std::map<std::string, std::string> compile_variables(const std::vector<std::string>& names,
                                                     const std::vector<std::string>& lock) {
  std::map<std::string, std::string> variables;
  if (std::find(names.begin(), names.end(), "horovod") == names.end()) return variables;
  // Each part by name: one that cannot be built is an error then, and not left out without a word.
  const auto part = [&](const char* of, bool wanted) {
    variables.emplace(std::string(wanted ? "HOROVOD_WITH_" : "HOROVOD_WITHOUT_") + of, "1");
  };
  part("PYTORCH", has(lock, {"torch"}));
  part("TENSORFLOW", has(lock, {"tensorflow", "tensorflow-cpu", "tensorflow-gpu"}));
  part("MXNET", has(lock, {"mxnet"}));
  // Its jobs are started by mpirun. The Gloo that it brings was written for older headers of Linux.
  if (!find_program("mpicxx").empty()) {
    part("MPI", true);
    part("GLOO", false);
  }
  // Which headers of the standard library bring others has changed since. Before 0.20 it was built by distutils, which
  // compiles C++ with the flags of C; then by CMake, which would try them on C.
  const char* name = is_before(lock, "horovod", "0.20") ? "CFLAGS" : "CXXFLAGS";
  const char* flags = std::getenv(name);
  variables[name] = std::string(flags ? flags : "") + " -include stdexcept";
  return variables;
}

}  // namespace roost
