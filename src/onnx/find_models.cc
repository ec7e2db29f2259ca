#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "onnx/model_file.h"
#include "onnx/onnx_servant.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

// Entries of a folder in the order of their names; none if it is no folder.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    paths.push_back(entry->path());
  std::ranges::sort(paths);
  return paths;
}

bool is_onnx(const fs::path& path) {
  std::error_code error;
  return path.extension() == ".onnx" && fs::is_regular_file(path, error);
}

std::vector<fs::path> onnx_files(const fs::path& folder) {
  std::vector<fs::path> files = entries(folder);
  std::erase_if(files, [](const fs::path& path) { return !is_onnx(path); });
  return files;
}

bool is_version(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

// The versions in a model's folder.
std::vector<OnnxModelSource> versions_in(const fs::path& folder, const std::string& name) {
  std::vector<OnnxModelSource> found;
  for (const fs::path& version : entries(folder)) {
    if (is_version(version) && !onnx_files(version).empty())
      found.push_back({name, version.filename().string(), version.string()});
  }
  return found;
}

}  // namespace

Result<std::string> model_file(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return path;
  if (!fs::is_directory(path, error)) return fail(ErrorCode::kNotFound, fmt::format("there is no model at {}", path));
  // Where it was registered from a folder, that folder is inside.
  fs::path folder = path;
  for (int depth = 0; depth < 3; ++depth) {
    const auto files = onnx_files(folder);
    if (files.size() == 1) return files.front().string();
    for (const fs::path& file : files) {
      if (file.filename() == "model.onnx") return file.string();
    }
    if (!files.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} has {} .onnx files, and none is called model.onnx; name the one to be served",
                              folder.string(), files.size()));
    }
    auto folders = entries(folder);
    std::erase_if(folders, [&error](const fs::path& entry) { return !fs::is_directory(entry, error); });
    if (folders.size() != 1) break;
    folder = folders.front();
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("there is no .onnx file in {}; export the model to ONNX first (roost model export)", path));
}

Result<std::vector<OnnxModelSource>> find_onnx_models(const std::string& path, const std::string& name) {
  const fs::path given = fs::path(path).lexically_normal();
  const fs::path place = given.has_filename() ? given : given.parent_path();
  const auto named = [&](const std::string& own) { return name.empty() ? own : name; };
  std::error_code error;
  if (fs::is_regular_file(place, error))
    return std::vector<OnnxModelSource>{{named(place.stem().string()), "1", place.string()}};
  if (fs::is_directory(place, error) && onnx_files(place).empty()) {
    auto versions = versions_in(place, named(place.filename().string()));
    if (!versions.empty()) return versions;
    std::vector<OnnxModelSource> found;
    for (const fs::path& model : entries(place)) {
      for (auto& version : versions_in(model, model.filename().string())) found.push_back(std::move(version));
    }
    if (!found.empty()) {
      const bool is_one =
          std::ranges::all_of(found, [&](const OnnxModelSource& source) { return source.name == found.front().name; });
      if (is_one) {
        for (OnnxModelSource& source : found) source.name = named(source.name);
      }
      return found;
    }
  }
  ROOST_TRY(const std::string file, model_file(place.string()));
  const bool in_version = is_version(place) && place.has_parent_path();
  return std::vector<OnnxModelSource>{
      {named(in_version ? place.parent_path().filename().string() : place.filename().string()),
       in_version ? place.filename().string() : "1", place.string()}};
}

}  // namespace roost
