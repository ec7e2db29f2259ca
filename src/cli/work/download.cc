#include "cli/work/download.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"

namespace roost {

namespace fs = std::filesystem;

Result<fs::path> place_below(const fs::path& root, const std::string& path) {
  if (!is_safe_relative_path(path)) {
    return fail(
        ErrorCode::kDataMismatch,
        fmt::format("the server named a file \"{}\" that would lie outside the folder; nothing "
                    "was written for it",
                    printable(path)));
  }
  ROOST_CHECK(make_folders(root));
  const fs::path target = root / path;
  // Checked before folders are made: a link half way up would have them made elsewhere.
  std::error_code error;
  const fs::path real_root = fs::canonical(root, error);
  const fs::path real_parent = fs::weakly_canonical(target.parent_path(), error);
  const auto [end, unused] =
      std::mismatch(real_root.begin(), real_root.end(), real_parent.begin(), real_parent.end());
  if (error || end != real_root.end()) {
    return fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("{} leads out of {} by a symbolic link; remove it or choose another folder",
                    target.parent_path().string(), root.string()));
  }
  ROOST_CHECK(make_folders(target.parent_path()));
  return target;
}

Status download_file(ApiClient& client, const std::string& api_path, const std::string& digest,
                     const fs::path& target, const std::function<void(std::uint64_t)>& progress) {
  std::error_code ignored;
  if (!digest.empty() && fs::is_regular_file(fs::symlink_status(target, ignored))) {
    if (const auto have = sha256_file(target); have && *have == digest) {
      progress(fs::file_size(target, ignored));
      return {};
    }
  }
  const std::string what = target.string();
  const std::string partial = fmt::format("{}.partial-{}", what, random_hex(4));
  Fd file(open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file) return fail_errno(errno, "write " + partial);
  Sha256 hash;
  Status written;
  ClientRequest request;
  request.target = api_path;
  request.on_data = [&](std::string_view bytes) {
    hash.update(bytes);
    written = write_all(file.get(), bytes, partial);
    progress(bytes.size());
    return written.has_value();
  };
  Status done;
  if (auto response = client.send(std::move(request)); !response) {
    done = fail(std::move(response).error());
  }
  if (!written) done = written;
  if (const std::string got = hash.hex(); done && !digest.empty() && got != digest) {
    done = fail(
        ErrorCode::kDataMismatch,
        fmt::format("{} arrived damaged (SHA-256 {} instead of {}); try again", what, got, digest));
  }
  if (done && fsync(file.get()) != 0) done = fail_errno(errno, "write " + partial);
  if (done && rename(partial.c_str(), what.c_str()) != 0) done = fail_errno(errno, "write " + what);
  if (!done) unlink(partial.c_str());
  return done;
}

}  // namespace roost
