#pragma once

#include <optional>
#include <string>
#include <vector>

#include "builders/build_order.h"
#include "domain/version.h"

namespace roost {

struct Interpreter {
  std::string path;
  Version version;
};

// That of the settings, if it runs.
std::optional<Interpreter> default_interpreter(const BuildSettings& settings);

// The Python interpreters of this machine, the default first, then the newest: those of the settings,
// on PATH, in the usual folders, and of pyenv. Each version once.
std::vector<Interpreter> find_interpreters(const BuildSettings& settings);

// The first that fulfils the condition.
std::optional<Interpreter> choose_interpreter(const std::vector<Interpreter>& interpreters,
                                              const std::string& condition);

// uv, and the pip that it stands in for, fill environments from this Python on.
inline constexpr int kOldestMinor = 8;

bool is_before_oldest(const std::string& condition);

// For a condition that none fulfils, one of the same release line: 3.8.18 for "3.8.5".
std::optional<Interpreter> same_minor(const std::vector<Interpreter>& interpreters, const std::string& condition);

// The nearest to a condition that none fulfils, then the default one, whose machine may have packages for it.
std::vector<Interpreter> nearest_interpreters(const std::vector<Interpreter>& interpreters, const std::string& condition);

// "3.11.2, 3.8.18"
std::string versions_text(const std::vector<Interpreter>& interpreters);

}  // namespace roost
