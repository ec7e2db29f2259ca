#include "runner/environment_copy.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/log.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "domain/names.h"
#include "runner/stage_inputs.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr auto kUnpackLimit = std::chrono::minutes(30);
constexpr std::size_t kLargestScript = 1 << 20;

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The programs of a virtual environment know where they are.
Status move_scripts(const fs::path& folder, const std::string& from, const std::string& to) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder / "bin", ignored)) {
    if (!entry.is_regular_file() || entry.is_symlink() || entry.file_size() > kLargestScript) continue;
    ROOST_TRY(std::string text, read_file(entry.path()));
    if (text.find('\0') != std::string::npos || text.find(from) == std::string::npos) continue;
    replace_all(text, from, to);
    const auto mode = static_cast<unsigned>(entry.status().permissions()) & 0777;
    ROOST_CHECK(write_file_atomic(entry.path(), text, mode));
  }
  return {};
}

Status fetch_pack(ServerLink& server, const std::string& digest, const fs::path& file) {
  Status put;
  auto fetched = server.persist([&](ApiClient& api) -> Result<Json> {
    put = {};
    const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!fd) {
      put = fail_errno(errno, "write " + file.string());
      return fail(put.error());
    }
    ClientRequest request;
    request.target = "/environment-packs/" + digest;
    request.on_data = [&](std::string_view piece) {
      put = write_all(fd.get(), piece, file.string());
      return put.has_value();
    };
    auto answer = api.send(std::move(request));
    if (!put) return fail(put.error());
    if (!answer) return fail(answer.error());
    return Json();
  }, put, kStagingPatience);
  if (!fetched) return fail(fetched.error());
  return {};
}

Status unpack(const fs::path& pack, const fs::path& folder, const std::string& from, const fs::path& place) {
  ROOST_CHECK(make_folders(folder));
  ROOST_TRY(const CommandResult done,
            run_command({"tar", "--extract", "--no-same-owner", "--file", pack.string(), "--directory", folder.string()}, "", {},
                        kUnpackLimit));
  if (done.exit_code != 0) {
    return fail(ErrorCode::kInternal, fmt::format("the environment cannot be unpacked on this node: {}", trim(done.errors)));
  }
  return move_scripts(folder, from, place.string());
}

fs::path lock_of(const fs::path& place) { return place.string() + ".lock"; }

// Another runner of this node may be at it.
Result<Fd> wait_for_lock(const fs::path& file, int kind) {
  Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return fail_errno(errno, "open " + file.string());
  while (::flock(fd.get(), kind) != 0) {
    if (errno != EINTR) return fail_errno(errno, "lock " + file.string());
  }
  return fd;
}

Status fetch(ServerLink& server, const std::string& digest, const std::string& from, const fs::path& place) {
  ROOST_CHECK(make_folders(place.parent_path()));
  ROOST_TRY(const Fd lock, wait_for_lock(lock_of(place), LOCK_EX));
  std::error_code ignored;
  if (fs::exists(place, ignored)) return {};
  log_info("environment {}: fetching", digest.substr(0, 12));
  const std::string mark = random_hex(6);
  const fs::path pack = fmt::format("{}.tar-{}", place.string(), mark);
  const fs::path temporary = fmt::format("{}.tmp-{}", place.string(), mark);
  Status made = fetch_pack(server, digest, pack);
  if (made) made = unpack(pack, temporary, from, place);
  ::unlink(pack.c_str());
  if (made && ::rename(temporary.c_str(), place.c_str()) != 0) made = fail_errno(errno, "make " + place.string());
  if (!made) (void)remove_tree(temporary);
  return made;
}

}  // namespace

Result<Fd> bring_environment(ServerLink& server, const fs::path& cache, Json& order) {
  const Json environment = object_at(order, "environment");
  const std::string from = text_at(environment, "folder");
  const std::string digest = text_at(environment, "digest");
  std::error_code ignored;
  if (from.empty() || !is_digest(digest) || fs::exists(from, ignored)) return Fd();
  const fs::path place = cache / "environments" / digest;
  Fd held;
  while (!held) {
    if (!fs::exists(place, ignored)) ROOST_CHECK(fetch(server, digest, from, place));
    ROOST_TRY(held, wait_for_lock(lock_of(place), LOCK_SH));
    // Another runner may have made room just then.
    if (!fs::exists(place, ignored)) held.reset();
  }
  ::futimens(held.get(), nullptr);
  std::string text = to_text(order);
  // Paths in the order that are below the server's folder.
  replace_all(text, from, place.string());
  ROOST_TRY(order, parse_json(text, "the order"));
  const std::string python = text_at(order, "python");
  if (!order.contains("image") && !python.empty() && ::access(python.c_str(), X_OK) != 0) {
    const fs::path base = fs::read_symlink(python, ignored);
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the environment was built on the Python {} of the server, and this node has none there; install it, "
                            "or use a user-managed environment or an image",
                            base.string()));
  }
  return held;
}

}  // namespace roost
