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

// "3.11.2, 3.8.18"
std::string versions_text(const std::vector<Interpreter>& interpreters);

}  // namespace roost
