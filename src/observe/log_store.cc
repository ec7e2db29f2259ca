#include "observe/log_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include <fmt/format.h>

#include "base/append_large.h"
#include "base/files.h"
#include "base/inside_write.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::size_t kWriteAtOnce = 1 << 20;

// A name that cannot be a file here, whatever happens, is the writer's fault and not the disk's.
Error append_error(int error, const std::string& name) {
  const bool in_the_way = error == ENOTDIR || error == EISDIR || error == EEXIST;
  if (!in_the_way && error != ENAMETOOLONG) return errno_error(error, "write the log " + name);
  return {ErrorCode::kInvalidArgument,
          in_the_way ? "a log of another name stands in its way: one would be a file and a folder" : "its name is too long"};
}

}  // namespace

// Runs are spread over folders by the last two characters of their id, which are random.
fs::path LogStore::run_folder(const std::string& run) const {
  return folder_ / run.substr(run.size() < 2 ? 0 : run.size() - 2) / run;
}

fs::path LogStore::attempt_folder(const std::string& run, std::int64_t attempt) const {
  return run_folder(run) / std::to_string(attempt);
}

std::uint64_t LogStore::size_of_run(const std::string& run) const {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(run_folder(run), error); !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    std::error_code none;
    if (!at->is_regular_file(none)) continue;
    const auto size = at->file_size(none);
    if (!none) bytes += size;
  }
  return bytes;
}

Result<std::uint64_t> LogStore::remove(const std::string& run) {
  check_outside_write("removes logs");
  if (run.empty() || run.find('/') != std::string::npos) return fail(ErrorCode::kInternal, "a run's id has no slash");
  const std::uint64_t bytes = size_of_run(run);
  const std::lock_guard lock(lock_for(run));
  std::error_code error;
  if (!fs::exists(fs::symlink_status(run_folder(run), error))) return bytes;
  ROOST_CHECK(remove_tree(run_folder(run)));
  return bytes;
}

// Beside the attempt's folder, so that no script can name a log like it.
fs::path LogStore::times_file(const std::string& run, std::int64_t attempt, const std::string& name) const {
  fs::path folder = attempt_folder(run, attempt);
  folder += ".times";
  return folder / name;
}

std::mutex& LogStore::lock_for(const std::string& run) {
  return locks_[std::hash<std::string>()(run) % locks_.size()];
}

Result<std::uint64_t> LogStore::append(const std::string& run, std::int64_t attempt,
                                       const std::string& name, std::uint64_t offset,
                                       std::string_view bytes, std::optional<Micros> at) {
  check_outside_write("writes a log");
  const fs::path file = attempt_folder(run, attempt) / name;
  const std::lock_guard lock(lock_for(run));
  Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd && errno == ENOENT) {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) return fail(append_error(error.value(), name));
    fd.reset(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  }
  if (!fd) return fail(append_error(errno, name));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, "write the log " + name);
  const auto have = static_cast<std::uint64_t>(info.st_size);
  if (offset > have || offset + bytes.size() <= have) return have;
  bytes.remove_prefix(have - offset);
  ROOST_CHECK(append_large(fd.get(), have, bytes, "the log " + name));
  const std::uint64_t end = have + bytes.size();
  // A long log is on its way to the disk while it comes, so that sync() at its end has little to wait for.
  if (bytes.size() >= kWriteAtOnce) {
    (void)::sync_file_range(fd.get(), static_cast<off_t>(have), static_cast<off_t>(bytes.size()), SYNC_FILE_RANGE_WRITE);
  }
  // The line is kept in any case; without its time it only comes later among those of other ranks.
  if (at) (void)append_log_time(times_file(run, attempt, name), {end, *at});
  return end;
}

Result<std::vector<LogTime>> LogStore::times(const std::string& run, std::int64_t attempt,
                                             const std::string& name, std::uint64_t first,
                                             std::size_t limit) const {
  return read_log_times(times_file(run, attempt, name), first, limit);
}

Result<std::string> LogStore::read(const std::string& run, std::int64_t attempt,
                                   const std::string& name, std::uint64_t offset,
                                   std::size_t limit) const {
  check_outside_write("reads a log");
  const Fd fd(::open((attempt_folder(run, attempt) / name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    if (errno == ENOENT || errno == ENOTDIR) return std::string();
    return fail_errno(errno, "read the log " + name);
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, "read the log " + name);
  const auto have = static_cast<std::uint64_t>(info.st_size);
  if (offset >= have) return std::string();
  std::string out(std::min<std::uint64_t>(limit, have - offset), '\0');
  std::size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t got = ::pread(fd.get(), out.data() + filled, out.size() - filled,
                                static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "read the log " + name);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  out.resize(filled);
  return out;
}

Result<std::uint64_t> LogStore::size(const std::string& run, std::int64_t attempt,
                                     const std::string& name) const {
  check_outside_write("looks at a log");
  struct stat info {};
  if (::stat((attempt_folder(run, attempt) / name).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return fail(ErrorCode::kNotFound,
                fmt::format("run {} has no log \"{}\"; 'roost logs {} --list' shows those it has", run,
                            printable(name), run));
  }
  return static_cast<std::uint64_t>(info.st_size);
}

std::vector<LogStore::Entry> LogStore::list(const std::string& run, std::int64_t attempt) const {
  check_outside_write("lists logs");
  std::vector<Entry> entries;
  const fs::path root = attempt_folder(run, attempt);
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(root, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (!it->is_regular_file(error)) continue;
    entries.push_back({it->path().lexically_relative(root).string(), it->file_size(error)});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

std::string LogStore::tail(const std::string& run, std::int64_t attempt, const std::string& name,
                           std::uint64_t bytes) const {
  const auto length = size(run, attempt, name);
  if (!length) return {};
  return read(run, attempt, name, *length > bytes ? *length - bytes : 0, bytes).value_or("");
}

std::vector<std::string> LogStore::last_lines(const std::string& run, std::int64_t attempt,
                                              const std::string& name, std::size_t count) const {
  const auto length = size(run, attempt, name);
  if (!length) return {};
  constexpr std::uint64_t kTail = 64 * 1024;
  const std::uint64_t from = *length > kTail ? *length - kTail : 0;
  const auto tail = read(run, attempt, name, from, kTail);
  if (!tail) return {};
  std::vector<std::string> lines = split(*tail, '\n');
  if (from > 0 && lines.size() > 1) lines.erase(lines.begin());
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<long>(count));
  for (auto& line : lines) {
    if (line.size() > 1000) {
      line.resize(1000);
      line += "...";
    }
    line = to_utf8(line);
  }
  return lines;
}

Status LogStore::sync(const std::string& run, std::int64_t attempt) const {
  const fs::path root = attempt_folder(run, attempt);
  std::set<fs::path> folders = {root};
  for (const auto& entry : list(run, attempt)) {
    const fs::path file = root / entry.name;
    const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) return fail_errno(errno, "sync the log " + entry.name);
    // fsync of a new file also commits the journal with its folders on ext4, XFS and btrfs, but only
    // syncing the folder itself promises the name.
    folders.insert(file.parent_path());
  }
  for (const auto& folder : folders) {
    if (auto synced = sync_folder(folder); !synced && synced.error().code != ErrorCode::kNotFound) {
      return synced;
    }
  }
  if (folders.size() > 1) {
    ROOST_CHECK(sync_folder(root.parent_path()));
    ROOST_CHECK(sync_folder(root.parent_path().parent_path()));
  }
  return {};
}

}  // namespace roost
