#include "runner/stream_files.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/frames.h"
#include "base/text.h"
#include "domain/names.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::size_t kPiece = 2 << 20;
constexpr std::size_t kRequest = 4 << 20;
constexpr std::size_t kLongestLine = 8 << 20;

// Opens a file without following links anywhere below `root`: the runner may see more than the run.
Fd open_below(const fs::path& root, const fs::path& file) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  if (!root.empty()) {
    const Fd folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    open_how how{};
    how.flags = kFlags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    const fs::path relative = file.lexically_relative(root);
    const auto fd = static_cast<int>(::syscall(SYS_openat2, folder.get(), relative.c_str(), &how, sizeof how));
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return Fd(fd);  // old kernels, old containers
  }
  return Fd(::open(file.c_str(), kFlags));
}

// Where a file ends for the purpose of shipping: at its size, or for a spool at its last whole line.
std::uint64_t shippable_end(const fs::path& file, std::uint64_t from, bool spool, const fs::path& root) {
  const Fd fd = open_below(root, file);
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return from;
  if (!spool) return static_cast<std::uint64_t>(info.st_size);
  for (;;) {
    const std::string piece = new_bytes(file, from, kPiece, true, root);
    if (piece.empty()) return from;
    from += piece.size();
  }
}

}  // namespace

std::string new_bytes(const fs::path& file, std::uint64_t offset, std::size_t limit, bool spool,
                      const fs::path& root) {
  const Fd fd = open_below(root, file);
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (offset >= size) return {};
  std::string out(std::min<std::uint64_t>(limit, size - offset), '\0');
  std::size_t have = 0;
  while (have < out.size()) {
    const ssize_t got = ::pread(fd.get(), out.data() + have, out.size() - have,
                                static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  out.resize(have);
  if (!spool) return out;
  if (const auto nul = out.find('\0'); nul != std::string::npos) out.resize(nul);
  const auto newline = out.rfind('\n');
  if (newline != std::string::npos) {
    out.resize(newline + 1);
  } else if (out.size() == limit && limit < kLongestLine) {
    return new_bytes(file, offset, kLongestLine, true, root);
  } else {
    out.clear();
  }
  return out;
}

void StreamFiles::add_file(const std::string& stream, const fs::path& file) {
  followed_[stream] = {file, false, 0, {}};
}

void StreamFiles::add_folder(const std::string& prefix, const fs::path& folder, bool spool) {
  folders_.push_back({prefix, folder, spool});
}

void StreamFiles::look_for_files() {
  for (const auto& watched : folders_) {
    std::error_code error;
    if (fs::is_symlink(watched.folder, error)) continue;
    for (auto it = fs::recursive_directory_iterator(
             watched.folder, fs::directory_options::skip_permission_denied, error);
         !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
      std::error_code ignored;
      if (!it->is_regular_file(ignored) || it->is_symlink(ignored)) continue;
      if (watched.spool && it->path().extension() != ".spool") continue;
      const std::string name = watched.prefix + it->path().lexically_relative(watched.folder).string();
      if (!followed_.contains(name) && check_artifact_path(name)) {
        followed_[name] = {it->path(), watched.spool, 0, watched.folder.parent_path()};
      }
    }
  }
}

Result<StreamFiles::Shipped> StreamFiles::ship(ServerLink& server) {
  look_for_files();
  Shipped shipped;
  std::string body;
  for (const auto& [name, file] : followed_) {
    if (body.size() >= kRequest) {
      shipped.more = true;
      break;
    }
    const std::string bytes = new_bytes(file.file, file.sent, kPiece, file.spool, file.root);
    if (bytes.empty()) continue;
    if (bytes.size() >= kPiece) shipped.more = true;
    shipped.bytes += bytes.size();
    append_frame(body, {{"stream", name}, {"offset", file.sent}}, bytes);
  }
  if (body.empty()) return shipped;
  ROOST_TRY(const Json answer, server.once([&](ApiClient& api) {
    return api.send_bytes("POST", path_, kFramesType, body);
  }));
  const Json lengths = answer.value("streams", Json::object());
  for (const auto& item : lengths.items()) {
    const auto it = followed_.find(item.key());
    if (it != followed_.end() && item.value().is_number_unsigned()) {
      it->second.sent = item.value().get<std::uint64_t>();
    }
  }
  return shipped;
}

std::map<std::string, std::uint64_t> StreamFiles::lengths() {
  look_for_files();
  std::map<std::string, std::uint64_t> out;
  for (const auto& [name, file] : followed_) {
    out[name] = shippable_end(file.file, file.spool ? file.sent : 0, file.spool, file.root);
  }
  return out;
}

}  // namespace roost
