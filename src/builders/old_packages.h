#pragma once

#include <string>
#include <vector>

namespace roost {

// Of these one is known before there is a set: nearly every set brings setuptools.
inline constexpr const char* kSetuptoolsOfTheirTime = "setuptools<81";

// What a set of versions needs besides what its metadata says: packages from before NumPy 2 name no upper bound for
// NumPy, and were compiled for NumPy 1; code of their time imports pkg_resources, which newer setuptools lack.
// Constraints to try; empty if the set is fine.
std::vector<std::string> constraints_of_their_time(const std::vector<std::string>& lock);

}  // namespace roost
