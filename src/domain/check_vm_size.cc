#include "domain/check_vm_size.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/edit_distance.h"
#include "base/text.h"
#include "domain/vm_sizes.h"

namespace roost {
namespace {

constexpr std::size_t kMostNear = 5;

}  // namespace

Status check_vm_size(std::string_view name) {
  if (name == "local" || find_vm_size(name)) return {};
  const std::string wanted = lower(name);
  std::vector<std::pair<int, std::string_view>> by_distance;
  for (const auto& size : vm_sizes()) by_distance.emplace_back(edit_distance(wanted, lower(size.name)), size.name);
  std::sort(by_distance.begin(), by_distance.end());
  std::vector<std::string_view> near;
  for (std::size_t i = 0; i < std::min(kMostNear, by_distance.size()); ++i) near.push_back(by_distance[i].second);
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("there is no VM size \"{}\"; those nearest to it are {}", printable(name), fmt::join(near, ", ")));
}

}  // namespace roost
