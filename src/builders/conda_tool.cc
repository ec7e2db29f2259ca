#include "builders/conda_tool.h"

#include "builders/program.h"
#include "builders/uv_tool.h"

namespace roost {
namespace {

// The package index has another "rattler", so the distribution is asked for, not the module.
bool has_rattler(const std::string& python) {
  return !python.empty() &&
         output_of({python, "-c", "import importlib.metadata as m; m.version('py-rattler'); import rattler"})
             .has_value();
}

}  // namespace

std::string CondaTool::words() const { return kind == Kind::kRattler ? "py-rattler of " + path : path; }

std::optional<CondaTool> find_conda(const BuildSettings& settings, const BuildLog& log) {
  for (const char* name : {"micromamba", "mamba", "conda"}) {
    const auto kind = std::string_view(name) == "micromamba" ? CondaTool::Kind::kMicromamba : CondaTool::Kind::kConda;
    if (std::string path = find_program(name); !path.empty()) return CondaTool{kind, std::move(path)};
  }
  std::vector<std::string> pythons = {settings.python};
  pythons.insert(pythons.end(), settings.pythons.begin(), settings.pythons.end());
  pythons.push_back(find_program("python3"));
  for (const auto& python : pythons) {
    if (has_rattler(python)) return CondaTool{CondaTool::Kind::kRattler, python};
  }
  const std::string fetched = find_fetched_python(settings, "py-rattler", log);
  if (has_rattler(fetched)) return CondaTool{CondaTool::Kind::kRattler, fetched};
  return std::nullopt;
}

}  // namespace roost
