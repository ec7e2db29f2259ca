#include "server/data_folder.h"

#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "base/log.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

bool holds_a_file(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error)) {
    std::error_code unknown;
    if (!at->is_directory(unknown)) return true;
  }
  return false;
}

bool is_roosts_own(const std::string& name) {
  static const std::set<std::string> own = {"blobs",       "environments", "id",         "images",     "lock",   "logs",
                                            "nodes",       "owner.token",  "packages",   "port",       "reserve", "secret", "secrets.key",
                                            "server.json", "server.log",   "tools",      ".amlignore", ".gitignore"};
  return own.contains(name) || name.starts_with("roost.db");
}

}  // namespace

void keep_out_of_snapshots(const fs::path& data) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(data, error)) {
    if (!is_roosts_own(entry.path().filename().string())) return;
  }
  for (const char* name : {".amlignore", ".gitignore"}) {
    if (error || fs::exists(data / name, error)) continue;
    const Status written = write_file_atomic(data / name, "# A data folder of Roost: nothing in it belongs into a snapshot.\n*\n");
    if (!written) log_debug("{}", written.error().message);
  }
}

Status check_data_folder(const fs::path& data) {
  std::error_code error;
  const auto size = fs::file_size(data / "roost.db", error);
  if (!error && size > 0) return {};
  // A database that was never checkpointed is whole in its log.
  const auto log = fs::file_size(data / "roost.db-wal", error);
  const bool in_log = !error && log > 0 && fs::exists(data / "roost.db", error);
  if (in_log) return {};
  for (const char* folder : {"blobs", "logs"}) {
    if (!holds_a_file(data / folder)) continue;
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the data folder {0} has files in {1}/ but no database: roost.db is missing or empty. Put it "
                            "back (with roost.db-wal, if there was one) from where it went or from a backup, or choose "
                            "another --data; to begin anew here, move {1}/ away first",
                            data.string(), folder));
  }
  return {};
}

}  // namespace roost
