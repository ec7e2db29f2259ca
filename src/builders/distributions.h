#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace roost {

// A Python package as it is installed, from its own record; no Python is started to ask.
struct Distribution {
  std::string name;  // plain: lower case, with '-'
  std::string version;
  std::string installer;  // "pip", "uv", "conda"; "" if it does not say
};

// Those in lib/python*/site-packages of an environment, sorted by name.
std::vector<Distribution> installed_distributions(const std::filesystem::path& environment);

}  // namespace roost
