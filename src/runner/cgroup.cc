#include "runner/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::uint64_t kPeriod = 100'000;  // microseconds, the kernel's own default

bool is_marked(const fs::path& group, const char* name) {
  char value[4] = {};
  return ::getxattr(group.c_str(), name, value, sizeof value) > 0 && value[0] == '1';
}

bool is_ours(const fs::path& group, const fs::path& top) {
  if (group == top || is_marked(group, "trusted.delegate") || is_marked(group, "user.delegate")) return true;
  struct stat info {};
  return ::geteuid() != 0 && ::stat(group.c_str(), &info) == 0 && info.st_uid == ::geteuid();
}

Status write_value(const fs::path& file, const std::string& value) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd || ::write(fd.get(), value.data(), value.size()) < 0) return fail_errno(errno, "set " + file.string());
  return {};
}

bool lists(const fs::path& file, std::string_view word) {
  const auto text = read_file(file);
  for (const auto& one : split(std::string(trim(text ? *text : "")), ' ')) {
    if (one == word) return true;
  }
  return false;
}

// The group of this process for a controller: {the top of its hierarchy, itself, version 2}.
struct Own {
  fs::path top;
  fs::path group;
  bool unified = false;
};

Result<Own> own_group(const std::string& controller, const CgroupFiles& files) {
  const auto text = read_file(files.own);
  for (const auto& line : split(text ? *text : "", '\n')) {  // "4:cpu,cpuacct:/path"
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    const std::string path = line.substr(parts[0].size() + parts[1].size() + 3);  // begins with '/'
    if (parts[0] == "0" && lists(files.root / "cgroup.controllers", controller)) {
      return Own{files.root, files.root / fs::path(path).relative_path(), true};
    }
    for (const auto& one : split(parts[1], ',')) {
      const fs::path top = files.root / controller;
      std::error_code error;
      if (one == controller && fs::exists(top, error)) return Own{top, top / fs::path(path).relative_path(), false};
    }
  }
  return fail(ErrorCode::kFailedPrecondition, "this machine has no control group for " + controller);
}

// The group that may be divided: the own one, or that above it (as with systemd's DelegateSubgroup).
Result<fs::path> parent_for(const std::string& controller, const CgroupFiles& files) {
  ROOST_TRY(Own own, own_group(controller, files));
  own.group = own.group.lexically_normal();
  if (own.group.filename().empty()) own.group = own.group.parent_path();
  fs::path parent = own.group;
  if (!is_ours(parent, own.top) && parent != own.top) parent = parent.parent_path();
  if (!is_ours(parent, own.top) || (parent == own.top && parent != own.group)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the control group {} of the runner is not delegated to it (under systemd: Delegate=yes "
                            "and DelegateSubgroup= for the server)",
                            own.group.string()));
  }
  if (own.unified && !lists(parent / "cgroup.subtree_control", controller)) {
    ROOST_CHECK(write_value(parent / "cgroup.subtree_control", "+" + controller));
  }
  return parent;
}

bool is_unified(const fs::path& group) {
  std::error_code error;
  return fs::exists(group / "cgroup.controllers", error);
}

}  // namespace

Limits limits_from(const Json& json) {
  if (!json.is_object()) return {};
  return {size_at(json, "memory"), number_at(json, "cpus")};
}

std::string limits_text(const Limits& limits) {
  std::string text;
  if (limits.memory > 0) text = fmt::format("{} MB of memory", limits.memory >> 20);
  if (limits.cpus > 0) text += fmt::format("{}{} CPUs", text.empty() ? "" : ", ", limits.cpus);
  return text;
}

Limits least_of(const Limits& a, const Limits& b) {
  const auto least = [](auto x, auto y) { return x > 0 && y > 0 ? std::min(x, y) : std::max(x, y); };
  return {least(a.memory, b.memory), least(a.cpus, b.cpus)};
}

RunCgroup RunCgroup::make(const Limits& limits, const std::string& name, const CgroupFiles& files) {
  RunCgroup made;
  if (limits.memory > 0) {
    if (const auto parent = parent_for("memory", files)) {
      made.limits_memory_ = made.add(*parent, name, is_unified(*parent) ? "memory.max" : "memory.limit_in_bytes",
               std::to_string(limits.memory));
      // Swap would only draw it out; a kernel that does not count swap lacks the file.
      if (!made.groups_.empty() && is_unified(*parent)) {
        (void)write_value(made.groups_.back().folder / "memory.swap.max", "0");
      }
    } else {
      made.problems_.push_back("memory is not limited: " + parent.error().message);
    }
  }
  if (limits.cpus > 0) {
    const auto quota = std::to_string(static_cast<std::uint64_t>(limits.cpus * static_cast<double>(kPeriod)));
    if (const auto parent = parent_for("cpu", files)) {
      const bool unified = is_unified(*parent);
      made.limits_cpus_ = made.add(*parent, name, unified ? "cpu.max" : "cpu.cfs_quota_us",
               unified ? fmt::format("{} {}", quota, kPeriod) : quota);
    } else {
      made.problems_.push_back("CPUs are not limited: " + parent.error().message);
    }
  }
  return made;
}

bool RunCgroup::add(const fs::path& parent, const std::string& name, const char* file, const std::string& value) {
  const fs::path folder = parent / ("roost-" + name);
  const bool known = !groups_.empty() && groups_.back().folder == folder;  // version 2: one group for both
  if (!known) {
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
      problems_.push_back(errno_error(errno, "make the control group " + folder.string()).message);
      return false;
    }
    Fd join(::open((folder / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    const bool may_join = static_cast<bool>(join);
    if (!may_join) problems_.push_back(errno_error(errno, "open " + (folder / "cgroup.procs").string()).message);
    groups_.push_back({folder, std::move(join)});
  }
  const auto set = write_value(folder / file, value);
  if (!set) problems_.push_back(set.error().message);
  return set && groups_.back().join;
}

RunCgroup::~RunCgroup() {
  for (auto& group : groups_) {
    group.join.reset();
    // Its last process may not be gone for good yet.
    for (int tries = 0; ::rmdir(group.folder.c_str()) != 0 && errno == EBUSY && tries < 100; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

std::vector<int> RunCgroup::join_fds() const {
  std::vector<int> fds;
  for (const auto& group : groups_) {
    if (group.join) fds.push_back(group.join.get());
  }
  return fds;
}

bool RunCgroup::was_oom_killed() const {
  for (const auto& group : groups_) {
    for (const char* file : {"memory.events", "memory.oom_control"}) {  // versions 2 and 1
      const auto text = read_file(group.folder / file);
      for (const auto& line : split(text ? *text : "", '\n')) {
        if (line.starts_with("oom_kill ") && line != "oom_kill 0") return true;
      }
    }
  }
  return false;
}

}  // namespace roost
