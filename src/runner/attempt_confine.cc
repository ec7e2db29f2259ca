#include "runner/attempt_confine.h"

#include "runner/own_program.h"
#include "runner/scratch_file.h"

namespace fs = std::filesystem;

namespace roost {

Result<HiddenFolders> hidden_folders(const Attempt& attempt) {
  using Kind = ShownPath::Kind;
  std::error_code error;
  const fs::path kept = fs::weakly_canonical(attempt.settings.cache.parent_path().parent_path(), error);
  std::vector<ShownPath> shown;
  for (const char* name : {"code", "data", "packages", "spool", "stacks"}) shown.push_back({(attempt.folder / name).string()});
  for (const auto& path : {attempt.folder / "bin", attempt.server_copy().parent_path(), attempt.settings.sdk}) {
    shown.push_back({path.string(), Kind::kReadOnly});
  }
  if (!attempt.gang.is_single()) shown.push_back({attempt.shared.string()});
  if (!attempt.server.ca_file().empty()) shown.push_back({attempt.server.ca_file(), Kind::kReadOnly});
  if (attempt.mpi) {
    shown.push_back({attempt.mpi->folder().string()});
    shown.push_back({attempt.settings.mpi_helper.parent_path().string(), Kind::kReadOnly});
  }
  const OwnProgram program = own_program();
  for (const auto& path : {program.path, program.onnxruntime}) {
    if (!path.empty()) shown.push_back({path.string(), Kind::kReadOnly});
  }
  const std::string environment = text_at(member(attempt.order, "environment"), "folder");
  if (!environment.empty()) {
    // Others start from it too, and scripts install into it: each run changes its own view.
    shown.push_back({environment, Kind::kScratch, (attempt.folder / "environment").string()});
  }
  // An interpreter that somebody keeps in the data folder, with the packages beside it.
  const fs::path prefix = fs::path(text_at(attempt.order, "python")).parent_path().parent_path();
  if (is_below(prefix, kept) && prefix != kept) shown.push_back({prefix.string(), Kind::kReadOnly});
  show_home(kept, shown);
  std::vector<fs::path> hidden = {kept};
  // The server's own, if this is it and not another folder of that name.
  const fs::path data = text_at(attempt.order, "hidden");
  if (data != kept && fs::exists(data / "owner.token", error)) hidden.push_back(data);
  return hide_folders(hidden, std::move(shown));
}

Status show_server(const Attempt& attempt) {
  const fs::path place = attempt.server_copy();
  ROOST_CHECK(make_folders(place.parent_path()));
  const auto address = read_server_file(attempt.settings.server_file, text_at(attempt.order, "token"));
  if (!address) return {};  // it is away; the copy stays until it is back
  Json file = {{"url", address->url}};
  if (!address->ca_file.empty()) file["ca_file"] = address->ca_file;
  const std::string text = to_text(file) + "\n";
  if (read_file(place).value_or("") == text) return {};
  return write_scratch_file(place, text);
}

}  // namespace roost
