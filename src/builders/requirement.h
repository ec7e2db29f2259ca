#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roost {

// A line of pip's, in its parts.
struct Requirement {
  std::string line;       // as it was written, without comment and hashes
  std::string name;       // plain: lower case, with '-'; "" for a URL without a name
  std::string extras;     // "[pytorch]"
  std::string condition;  // "==1.6.0"; "" if any version will do
  std::string marker;     // "python_version < '3.9'"
  bool is_url = false;    // "git+https://...", "name @ https://...", a path

  // "==1.6.0", not "==1.6.*" and no range.
  bool is_exact() const;
  // The same package with another condition; extras and marker stay.
  std::string with(std::string_view other) const;
  // The release that a condition which cannot be met starts from: of "==1.6.0", ">=1.6.0,<2" and "==1.6.0rc1"
  // "1.6.0", of "<1.17" "1.17". "" if it names none.
  std::string start() const;
};
Requirement parse_requirement(std::string_view line);

// The condition on the release line of a version: "1.13.1+cpu" -> ">=1.13.1,==1.13.*".
std::string same_line(std::string_view version);
// "2.13.0+cpu" -> "2.13.0"
std::string without_local(std::string_view version);

}  // namespace roost
