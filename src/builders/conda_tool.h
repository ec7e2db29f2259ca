#pragma once

#include <optional>
#include <string>

#include "builders/build_order.h"

namespace roost {

// What can make a conda environment on this machine.
struct CondaTool {
  enum class Kind { kMicromamba, kConda, kRattler };  // mamba takes conda's words
  Kind kind = Kind::kConda;
  std::string path;  // of py-rattler: the Python that has it
  std::string words() const;
};

// micromamba, mamba or conda on PATH; else py-rattler in the server's Python, in `environments.pythons`
// or in a python3 on PATH; else a py-rattler that pip fetches once.
std::optional<CondaTool> find_conda(const BuildSettings& settings, const BuildLog& log);

}  // namespace roost
