#include "builders/build_confine.h"

#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

namespace roost {

Result<std::optional<HiddenFolders>> hidden_from_build(const BuildOrder& order, const std::vector<std::string>& files) {
  using Kind = ShownPath::Kind;
  std::error_code error;
  const fs::path data = fs::weakly_canonical(fs::path(order.folder).parent_path().parent_path(), error);
  if (!fs::exists(data / "owner.token", error)) return std::optional<HiddenFolders>();
  std::vector<ShownPath> shown = {{order.folder}};
  // Never the folder itself, which would show all of it.
  const auto show = [&](const fs::path& path, Kind kind) {
    const fs::path real = fs::weakly_canonical(path, error);
    if (!path.empty() && !is_below(data, real)) shown.push_back({path.string(), kind});
  };
  for (const auto& file : files) show(file, Kind::kReadOnly);
  show(order.settings.wheels, Kind::kReadOnly);
  show(order.settings.tools, Kind::kReadOnly);
  // All environments share it: what a package's program writes there must not reach the next one.
  show(order.settings.cache, Kind::kScratch);
  if (!shown.empty() && shown.back().kind == Kind::kScratch) shown.back().layers = order.folder + ".work/cache";
  show(order.folder + ".work", Kind::kWritable);
  const auto show_interpreter = [&](const fs::path& python) {
    show(python.parent_path().parent_path(), Kind::kReadOnly);  // with the packages beside it
  };
  if (!order.settings.python.empty()) show_interpreter(order.settings.python);
  for (const auto& python : order.settings.pythons) show_interpreter(python);
  for (const auto* channels : {&order.settings.channels, &order.plan.channels}) {
    for (const auto& channel : *channels) show(channel.starts_with("file://") ? channel.substr(7) : channel, Kind::kReadOnly);
  }
  if (const char* temporary = std::getenv("TMPDIR")) show(temporary, Kind::kWritable);
  show_home(data, shown);
  ROOST_TRY(HiddenFolders hidden, hide_folders({data}, std::move(shown)));
  return std::optional<HiddenFolders>(std::move(hidden));
}

}  // namespace roost
