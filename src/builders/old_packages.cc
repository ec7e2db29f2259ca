#include "builders/old_packages.h"

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "builders/requirement.h"
#include "domain/version.h"

namespace roost {
namespace {

// The first release that works with NumPy 2.
constexpr auto kFirstForNumpy2 = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"bottleneck", "1.4"},
    {"catboost", "1.2.8"},
    {"contourpy", "1.2.1"},
    {"gensim", "4.3.3"},
    {"gym", "999"},
    {"h5py", "3.11"},
    {"imgaug", "999"},
    {"matplotlib", "3.8.4"},
    {"mxnet", "999"},
    {"numba", "0.60"},
    {"numexpr", "2.10"},
    {"onnx", "1.16.2"},
    {"onnxruntime", "1.19"},
    {"opencv-contrib-python", "4.10.0.84"},
    {"opencv-python", "4.10.0.84"},
    {"opencv-python-headless", "4.10.0.84"},
    {"pandas", "2.2.2"},
    {"pyarrow", "16.1"},
    {"pytorch-lightning", "2.2"},
    {"pywavelets", "1.6"},
    {"scikit-image", "0.23"},
    {"scikit-learn", "1.4.2"},
    {"scipy", "1.13"},
    {"seaborn", "0.12"},
    {"shap", "0.46"},
    {"spacy", "3.8"},
    {"statsmodels", "0.14.2"},
    {"tables", "3.10"},
    {"tensorboard", "2.17"},
    {"tensorflow", "2.18"},
    {"tensorflow-cpu", "2.18"},
    {"torch", "2.3"},
    {"torchvision", "0.18"},
});

}  // namespace

std::vector<std::string> constraints_of_their_time(const std::vector<std::string>& lock) {
  std::map<std::string, Version> versions;
  for (const auto& line : lock) {
    const Requirement one = parse_requirement(line);
    if (!one.condition.starts_with("==")) continue;
    if (auto version = parse_version(std::string_view(one.condition).substr(2))) versions[one.name] = std::move(*version);
  }
  const auto is_from = [&](const std::string& name, int major) {
    const auto it = versions.find(name);
    return it != versions.end() && it->second.release[0] >= major;
  };
  std::vector<std::string> constraints;
  if (is_from("setuptools", 81)) constraints.emplace_back(kSetuptoolsOfTheirTime);
  if (!is_from("numpy", 2)) return constraints;
  for (const auto& [name, first] : kFirstForNumpy2) {
    const auto it = versions.find(std::string(name));
    if (it == versions.end() || compare_versions(it->second, *parse_version(first)) >= 0) continue;
    constraints.emplace_back("numpy<2");
    break;
  }
  return constraints;
}

}  // namespace roost
