#include "builders/node_packages.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "builders/program.h"

namespace roost {
namespace {

constexpr const char* kDescribe = R"py(
import importlib.metadata as metadata, os, re, sys, zipfile
folder = sys.argv[1]
COMPILED_FOR = {"numpy": "torch torchvision torchaudio scipy pandas scikit-learn scikit-image matplotlib h5py tables numexpr numba "
                         "statsmodels opencv-python opencv", "torch": "torchvision torchaudio"}
plain = lambda name: re.sub(r"[-_.]+", "-", name).lower()
found = {}
for one in metadata.distributions():
    try:
        name, version = one.metadata["Name"], one.version
    except Exception:
        continue
    if name and re.fullmatch(r"[0-9]+(\.[0-9]+)*((a|b|rc|\.?dev|\.?post)[0-9]*)*(\+[a-z0-9.]+)?", version or "") and plain(name) not in found:
        found[plain(name)] = (version, one)
for name, (version, one) in found.items():
    needs = []
    for line in one.requires or []:
        head, _, marker = line.partition(";")
        needed = plain(re.match(r"\s*([A-Za-z0-9._-]+)", head).group(1))
        if "extra" in marker or needed not in found:  # who packed it left the others out
            continue
        needs.append("%s==%s%s" % (needed, found[needed][0], " ; " + marker.strip() if marker else ""))
    # Distributions leave out of the metadata what their own packages depend on, but these are compiled for one.
    for made_for, names in COMPILED_FOR.items():
        if name in names.split() and made_for in found:
            needs.append("%s==%s" % (made_for, found[made_for][0]))
    file = name.replace("-", "_")
    info = "%s-%s.dist-info/" % (file, version)
    text = "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version)
    text += "".join("Requires-Dist: %s\n" % line for line in needs)
    with zipfile.ZipFile(os.path.join(folder, "%s-%s-py3-none-any.whl" % (file, version)), "w") as wheel:
        wheel.writestr(info + "METADATA", text)
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: roost\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(info + "RECORD", "")
    print("roost:has %s %s" % (name, version))
)py";
constexpr std::string_view kHas = "roost:has ";

}  // namespace

Result<NodePackages> describe_node_packages(const std::string& python, const std::filesystem::path& folder,
                                            const std::optional<HiddenFolders>& hidden) {
  ROOST_CHECK(make_folders(folder));
  ROOST_TRY(const std::string text, output_of({python, "-c", kDescribe, folder.string()}, hidden));
  NodePackages found;
  for (const auto& line : split(text, '\n')) {
    if (!line.starts_with(kHas)) continue;
    const auto words = split(line.substr(kHas.size()), ' ');
    if (words.size() == 2) found[words[0]] = words[1];
  }
  return found;
}

}  // namespace roost
