#pragma once

#include <string>

#include "cli/console.h"

namespace roost {

// "python is /usr/bin/python3 (3.11.2) on the server; your shell's is /opt/py/bin/python3 (3.12.1). --python takes yours": said once
// for each such pair, on standard error, and only of a server on this machine, whose interpreter can be asked. Nothing if both
// are the same, or there is nothing to compare.
void note_other_python(Console& console);

}  // namespace roost
