#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roost {

// Words that the builders share.

// After a pin that cannot be had.
inline constexpr std::string_view kTwoWaysOut =
    "; either submit with pins: nearest, which takes the nearest there is, or have roost env modernize FILE write "
    "versions that can be had into your file";

// After a build of PyTorch for CPUs that cannot be had.
inline constexpr std::string_view kCpuWaysOut =
    "; put wheels for CPUs into a folder named as environments.wheels, name an index that has them as "
    "environments.index_url, or set environments.gpu: yes";

// "1.0, 1.2"; of many only the newest few. Oldest first.
std::string shown_versions(const std::vector<std::string>& versions);

// "1 package", "2 packages".
std::string package_count(std::size_t count);

}  // namespace roost
