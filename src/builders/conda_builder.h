#pragma once

#include "builders/build_order.h"
#include "builders/conda_tool.h"

namespace roost {

// An environment of conda packages, with pip's on top. A lock holds "name=version=build" of what came
// from conda and "name==version" of what came from pip; both are installed exactly. Under `pins: nearest`
// py-rattler moves a conda pin that cannot be had; the other tools only fail.
Result<BuiltEnvironment> build_conda(const BuildOrder& order, const CondaTool& tool, const BuildLog& log);

}  // namespace roost
