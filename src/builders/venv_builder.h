#pragma once

#include "builders/build_order.h"
#include "builders/pythons.h"

namespace roost {

// A virtual environment of an interpreter of this machine. Which versions go into it uv's resolver says, or pip's
// where there is no uv; the same program installs them. Under `pins: nearest` pins that cannot be had are
// moved, and packages of the interpreter itself are used where the index does not have what is asked for.
Result<BuiltEnvironment> build_venv(const BuildOrder& order, const Interpreter& base, const BuildLog& log);

}  // namespace roost
