#include "base/file_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

namespace roost {
namespace {

constexpr const char* kVariable = "ROOST_FILE_LIMIT";
constexpr rlim_t kEnough = 1 << 20;  // some systems have a hard limit of a milliard
rlim_t remembered = 0;

}  // namespace

std::size_t raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  if (remembered == 0) {
    const char* given = std::getenv(kVariable);
    remembered = given ? static_cast<rlim_t>(std::strtoull(given, nullptr, 10)) : limit.rlim_cur;
    ::unsetenv(kVariable);
  }
  const rlimit raised{std::max(limit.rlim_cur, std::min(limit.rlim_max, kEnough)), limit.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  return static_cast<std::size_t>(limit.rlim_cur);
}

void restore_file_limit() {
  rlimit limit{};
  if (remembered == 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min(remembered, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::string file_limit_variable() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return fmt::format("{}={}", kVariable, remembered == 0 ? limit.rlim_cur : remembered);
}

}  // namespace roost
