#pragma once

#include "builders/build_order.h"
#include "builders/pythons.h"

namespace roost {

// A virtual environment of an interpreter of this machine, filled by pip (or by uv, when it is there
// and pins are strict). Under `pins: nearest` it also sees what the interpreter has installed, and a
// pin that cannot be had is moved.
Result<BuiltEnvironment> build_venv(const BuildOrder& order, const Interpreter& base, const BuildLog& log);

}  // namespace roost
