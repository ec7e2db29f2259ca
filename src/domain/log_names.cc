#include "domain/log_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace roost {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kStems = {{
    {"azureml-logs/70_driver_log", "output"},
    {"azureml-logs/20_image_build_log", "build"},
    {"azureml-logs/60_mpi_log", "mpi"},
    {"azureml-logs/hyperdrive", "sweep"},
}};

// Nothing, _3 or _node_3.
bool is_which_one(std::string_view rest) {
  if (rest.empty()) return true;
  if (rest.starts_with("_node")) rest.remove_prefix(5);
  if (rest.size() < 2 || rest.front() != '_') return false;
  rest.remove_prefix(1);
  return std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string plain_log_name(std::string_view stored) {
  for (const auto& [stem, plain] : kStems) {
    if (!stored.starts_with(stem) || !stored.ends_with(".txt")) continue;
    const std::string_view rest = stored.substr(stem.size(), stored.size() - stem.size() - 4);
    if (is_which_one(rest)) return std::string(plain) + std::string(rest);
  }
  return std::string(stored);
}

std::string stored_log_name(std::string_view plain) {
  for (const auto& [stem, name] : kStems) {
    if (!plain.starts_with(name) || !is_which_one(plain.substr(name.size()))) continue;
    return std::string(stem) + std::string(plain.substr(name.size())) + ".txt";
  }
  return std::string(plain);
}

}  // namespace roost
