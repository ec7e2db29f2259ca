// What of this machine a run that is in no image gets to see: everything but what Roost keeps for itself, of which
// it sees its own share.
#include "confine/hidden_folders.h"
#include "runner/attempt_run.h"
#include "runner/scratch_file.h"

namespace fs = std::filesystem;

namespace roost {

Result<HiddenFolders> AttemptRun::hidden_folders() const {
  using Kind = ShownPath::Kind;
  std::error_code error;
  const fs::path kept = fs::weakly_canonical(settings_.cache.parent_path().parent_path(), error);
  std::vector<ShownPath> shown;
  for (const char* name : {"code", "data", "packages", "spool", "stacks"}) shown.push_back({(folder_ / name).string()});
  for (const auto& path : {folder_ / "bin", server_copy().parent_path(), settings_.sdk}) {
    shown.push_back({path.string(), Kind::kReadOnly});
  }
  if (!gang_.is_single()) shown.push_back({shared_.string()});
  if (!server_.ca_file().empty()) shown.push_back({server_.ca_file(), Kind::kReadOnly});
  if (mpi_) {
    shown.push_back({mpi_->folder().string()});
    shown.push_back({settings_.mpi_helper.parent_path().string(), Kind::kReadOnly});
  }
  const std::string environment = text_at(member(order_, "environment"), "folder");
  if (!environment.empty()) {
    // Others start from it too, and scripts install into it: each run changes its own view.
    shown.push_back({environment, Kind::kScratch, (folder_ / "environment").string()});
  }
  // An interpreter that somebody keeps in the data folder, with the packages beside it.
  const fs::path prefix = fs::path(text_at(order_, "python")).parent_path().parent_path();
  if (is_below(prefix, kept) && prefix != kept) shown.push_back({prefix.string(), Kind::kReadOnly});
  show_home(kept, shown);
  std::vector<fs::path> hidden = {kept};
  // The server's own, if this is it and not another folder of that name.
  const fs::path data = text_at(order_, "hidden");
  if (data != kept && fs::exists(data / "owner.token", error)) hidden.push_back(data);
  return hide_folders(hidden, std::move(shown));
}

Status AttemptRun::show_server() {
  const fs::path place = server_copy();
  ROOST_CHECK(make_folders(place.parent_path()));
  const auto address = read_server_file(settings_.server_file, text_at(order_, "token"));
  if (!address) return {};  // it is away; the copy stays until it is back
  Json file = {{"url", address->url}};
  if (!address->ca_file.empty()) file["ca_file"] = address->ca_file;
  const std::string text = to_text(file) + "\n";
  if (read_file(place).value_or("") == text) return {};
  return write_scratch_file(place, text);
}

fs::path AttemptRun::server_copy() const { return settings_.folder / "server" / "server.json"; }

}  // namespace roost
