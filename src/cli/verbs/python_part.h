#pragma once

#include <string>
#include <vector>

#include "cli/console.h"

namespace roost {

// Becomes a Python that runs a file of the package, which finds the server that this command line speaks of. The verbs that
// are written in Python are: those that read Python, and those that do what the library does.
struct PythonPart {
  std::string python;  // "": a usual one
  std::string file;    // below the package, as roost/sync.py
  std::vector<std::string> words;
  bool needs_server = false;  // otherwise it is told of one where there is one
};
// Comes back only with an error.
Result<int> become_python(Console& console, const PythonPart& part);

}  // namespace roost
