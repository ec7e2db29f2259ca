#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "confine/hidden_folders.h"

namespace roost {

struct ProgramRun {
  std::vector<std::string> words;             // the first is found on PATH
  std::map<std::string, std::string> variables;  // besides those of this process
  std::string folder = "/";
  std::function<void(std::string_view line)> on_line;  // of output and error output together
  // Called after each `kQuietSeconds` without a line, with the bytes the program has written to files
  // so far: what a download or a compiler without a word can be told by.
  std::function<void(std::uint64_t written)> on_quiet;
  std::optional<HiddenFolders> hidden = {};            // what it is kept out of
};
inline constexpr int kQuietSeconds = 10;

// Runs a program to its end; its exit code, or 128 + signal. The program dies with this process.
Result<int> run_to_end(const ProgramRun& run);

// The whole output of a short program; kNotFound if it cannot be started or fails.
Result<std::string> output_of(const std::vector<std::string>& words, std::optional<HiddenFolders> hidden = {});

// The path of a program on PATH, "" if there is none.
std::string find_program(std::string_view name);

}  // namespace roost
