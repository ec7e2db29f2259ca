#include "prepare/environment_pack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <mutex>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace roost {
namespace {

constexpr auto kLimit = std::chrono::minutes(30);
std::mutex packing;  // many nodes ask at once: one makes it, the others wait

}  // namespace

Result<std::string> environment_pack(const CachedEnvironment& environment) {
  const std::string pack = fmt::format("{}.pack.tar", environment.folder.string());
  const std::lock_guard lock(packing);
  // A pack that is used is not cleaned up.
  if (::utimensat(AT_FDCWD, pack.c_str(), nullptr, 0) == 0) return pack;
  const std::string temporary = fmt::format("{}.tmp-{}", pack, random_hex(6));
  const auto made = run_command({"tar", "--create", "--file", temporary, "--directory", environment.folder.string(), "."}, "",
                                {}, kLimit);
  const bool is_whole = made && made->exit_code == 0;
  if (is_whole && ::rename(temporary.c_str(), pack.c_str()) == 0) return pack;
  ::unlink(temporary.c_str());
  if (!made) return fail(made.error());
  return fail(ErrorCode::kInternal, fmt::format("cannot pack the environment {}: {}", environment.digest, trim(made->errors)));
}

}  // namespace roost
