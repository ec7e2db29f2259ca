#pragma once

#include <string>
#include <string_view>

namespace roost {

// What pip is asked for in place of a package of conda, where there is no conda to ask.
struct PipName {
  std::string requirement;  // "torch==1.6.*"; "" if pip has nothing of the kind
  std::string why_not;      // "no package of Python": what it is, if it is left out
};

// "pytorch=1.6" -> "torch==1.6.*"; "cudatoolkit=10.1" is left out. Channel and build string do not count.
PipName pip_name_of(std::string_view package);

}  // namespace roost
