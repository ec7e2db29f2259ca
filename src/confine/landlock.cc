#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "confine/hidden_folders.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

// The kernel's own form, with what headers of Debian 12 do not know yet.
struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scoped = 0;
};
constexpr std::uint64_t kRefer = 1ULL << 13;
constexpr std::uint64_t kTruncate = 1ULL << 14;
constexpr std::uint64_t kScopes = (1ULL << 0) | (1ULL << 1);  // abstract sockets, signals

constexpr std::uint64_t kReading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kOfFiles =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
constexpr std::uint64_t kFirst = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;  // all of the first version

long version_here() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

Status allow(int rules, const fs::path& path, std::uint64_t rights) {
  const Fd place(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  // What went away meanwhile, and links, need no rule.
  if (!place || ::fstat(place.get(), &info) != 0 || S_ISLNK(info.st_mode)) return {};
  landlock_path_beneath_attr rule{};
  rule.allowed_access = S_ISDIR(info.st_mode) ? rights : rights & kOfFiles;
  rule.parent_fd = place.get();
  if (::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) return {};
  // Pipes and the like that live in no folder cannot be named, and need not be.
  if (errno == EBADFD) return {};
  return fail_errno(errno, "allow " + path.string());
}

}  // namespace

Result<Fd> landlock_rules(const HiddenFolders& hidden) {
  const long version = version_here();
  if (version < 1) return fail(ErrorCode::kUnimplemented, "this kernel has no Landlock");
  Ruleset handled;
  handled.files = kFirst | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
  handled.scoped = version >= 6 ? kScopes : 0;
  const std::size_t size = version >= 6 ? sizeof handled : version >= 4 ? 16 : 8;
  Fd rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, size, 0)));
  if (!rules) return fail_errno(errno, "make Landlock rules");

  const std::set<std::string> folders(hidden.folders.begin(), hidden.folders.end());
  std::set<std::string> on_the_way;
  for (const auto& folder : folders) {
    for (fs::path above = fs::path(folder).parent_path();; above = above.parent_path()) {
      if (!on_the_way.insert(above.string()).second || above == above.parent_path()) break;
    }
  }
  for (const auto& folder : on_the_way) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string path = entry.path().string();
      if (!folders.contains(path) && !on_the_way.contains(path)) ROOST_CHECK(allow(rules.get(), path, handled.files));
    }
  }
  for (const auto& shown : hidden.shown) {
    const bool writable = shown.kind == ShownPath::Kind::kWritable;
    ROOST_CHECK(allow(rules.get(), shown.path, writable ? handled.files : kReading));
  }
  return rules;
}

bool enter_landlock(int rules) {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}

}  // namespace roost
