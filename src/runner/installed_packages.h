#pragma once

#include <string>
#include <vector>

namespace roost {

// What pip installed in a run, as "alpha 2.0", sorted, read from the names in lib/*/site-packages of `prefix`. That
// folder is the run's own: no link in it is followed. Empty if there is none, as of a run that did not call pip.
std::vector<std::string> installed_packages(const std::string& prefix);

// The same in words that follow the word "pip"; "" if there is nothing to tell.
std::string installed_text(const std::vector<std::string>& packages);

}  // namespace roost
