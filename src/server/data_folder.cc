#include "server/data_folder.h"

#include <fmt/format.h>

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

}  // namespace

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
