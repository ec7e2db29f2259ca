#pragma once

#include <string_view>

namespace roost {

// How this machine lets Roost keep a run on it away from the data folder. Tried out, not guessed.
enum class Confinement {
  kNamespaces,  // a mount namespace in which the folder is covered, and a pid namespace
  kLandlock,    // rules in the kernel, with the limits named at landlock_rules()
  kNothing,
};

// Takes a millisecond: starts a process that tries.
Confinement find_confinement();

// What its user should know of it; empty for namespaces.
std::string_view confinement_notice(Confinement confinement);

}  // namespace roost
