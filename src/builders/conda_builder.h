#pragma once

#include "builders/build_order.h"

namespace roost {

// micromamba, mamba or conda on PATH; "" if there is none.
std::string find_conda();

// An environment of conda packages, with pip's on top.
Result<BuiltEnvironment> build_conda(const BuildOrder& order, const std::string& conda, const BuildLog& log);

}  // namespace roost
