#include "runner/attempt_stage.h"

#include <fcntl.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "base/tree_beneath.h"
#include "runner/attempt_confine.h"
#include "runner/attempt_inputs.h"
#include "runner/environment_copy.h"
#include "runner/stage_inputs.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

// A place that was given as a whole path is whatever it is on this machine. One beside the script is not reached
// through links: who wrote the snapshot, or another input, would choose where it leads.
Result<Fd> input_folder(Attempt& attempt, int code, const std::string& name, const fs::path& place) {
  const fs::path normal = place.lexically_normal();
  const fs::path plain = normal.has_filename() ? normal : normal.parent_path();  // without a slash at its end
  const std::string beside = plain.lexically_relative(attempt.code().lexically_normal()).string();
  if (is_safe_relative_path(beside)) {
    if (Fd made = make_folder_beneath(code, beside)) return made;
    return fail_errno(errno, fmt::format("make the folder {} for the input {} (no link on the way is followed)",
                                         printable(beside), name));
  }
  if (!place.string().starts_with(attempt.folder.string() + "/")) attempt.outside.push_back(place);
  ROOST_CHECK(make_folders(place));
  Fd made(::open(place.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!made) return fail_errno(errno, "open " + place.string());
  return made;
}

// Not into what Roost keeps for itself, nor beside the script's folder into what Roost makes for this run.
Status check_input_place(const Attempt& attempt, const std::string& name, const fs::path& place) {
  std::error_code error;
  const fs::path kept = attempt.settings.cache.parent_path().parent_path();
  const fs::path real = fs::weakly_canonical(place, error);
  const fs::path own = fs::weakly_canonical(attempt.folder, error);
  const bool is_own = is_below(real, own / "code") || is_below(real, own / "data");
  if (is_below(real, fs::weakly_canonical(kept, error)) && !is_own) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the input {} should go to {}, which is in Roost's own folder; choose another path", name,
                            place.string()));
  }
  if (fs::exists(place, error) && !fs::is_empty(place, error)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the input {} should go to {}, which exists already on the node; choose another path", name,
                            place.string()));
  }
  return {};
}

Status stage_data(Attempt& attempt, int code) {
  for (const auto& input : array_at(attempt.order, "inputs")) {
    const fs::path place = input_path(attempt, input);
    const std::string name = text_at(input, "name");
    ROOST_CHECK(check_input_place(attempt, name, place));
    ROOST_TRY(const Fd folder, input_folder(attempt, code, name, place));
    ROOST_CHECK(stage_snapshot(attempt.server, text_at(input, "content"), attempt.settings.cache, folder.get()));
  }
  return {};
}

// The server has found out that it cannot be started as it was submitted. Nothing else could be told of it by then.
Status check_order(Attempt& attempt) {
  const std::string refused = text_at(attempt.order, "refused");
  return refused.empty() ? Status() : fail(ErrorCode::kFailedPrecondition, refused);
}

Status make_attempt_folder(Attempt& attempt) {
  ROOST_CHECK(remove_tree(attempt.folder));
  ROOST_CHECK(make_folders(attempt.folder.parent_path()));
  attempt.settings.spare->give(attempt.folder, attempt.user());
  for (const char* name : {"spool", "stacks", "packages"}) ROOST_CHECK(make_folders(attempt.folder / name));
  if (attempt.mpi) {
    ROOST_CHECK(make_folders(attempt.mpi->folder() / "tmp"));
    attempt.streams.add_file(launcher_log(attempt.node_rank), attempt.mpi->launcher_log());
  }
  return make_folders(attempt.code());
}

}  // namespace

Status stage_attempt(Attempt& attempt, Notices& notices) {
  const fs::path& cache = attempt.settings.cache;
  ROOST_CHECK(check_order(attempt));
  ROOST_CHECK(make_attempt_folder(attempt));
  const Fd root(::open(attempt.code().c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root) return fail_errno(errno, "open " + attempt.code().string());
  if (const std::string snapshot = text_at(attempt.order, "snapshot"); !snapshot.empty()) {
    ROOST_CHECK(stage_snapshot(attempt.server, snapshot, cache, root.get()));
  }
  ROOST_CHECK(stage_data(attempt, root.get()));
  ROOST_CHECK(show_server(attempt));
  if (attempt.settings.joined) {
    ROOST_TRY(attempt.environment, bring_environment(attempt.server, cache, attempt.order));
  }
  for (const char* name : {"outputs", "logs"}) {
    // A link of the snapshot stays, to be used by the script; what is behind it is not looked at.
    if (make_folder_beneath(root.get(), name) || errno == ELOOP) continue;
    return fail_errno(errno, fmt::format("make the folder {} beside the script", name));
  }
  ROOST_CHECK(restore_outputs(attempt.server, array_at(attempt.order, "outputs"), cache, root.get(), notices));
  // The nodes of a gang write files of the same name: those after the first have a folder each.
  const std::string below = attempt.node_rank == 0 ? "" : fmt::format("node_{}/", attempt.node_rank);
  attempt.streams.add_folder("logs/" + below, attempt.code() / "logs", false);
  attempt.streams.add_folder("spool/" + below, attempt.folder / "spool", true);
  attempt.streams.add_folder("spool/" + below + kEventSpool + "/", attempt.folder / kEventSpool, true);
  attempt.streams.add_masks(attempt.folder / "spool" / kMasksFile);
  return {};
}

}  // namespace roost
