#include "onnx/model_set.h"

#include <algorithm>

#include <fmt/format.h>

namespace roost {

// Numbers by their value, before everything else.
bool ModelSet::HigherVersion::operator()(const std::string& a, const std::string& b) const {
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  };
  if (is_number(a) != is_number(b)) return is_number(a);
  if (is_number(a) && a.size() != b.size()) return a.size() > b.size();
  return a > b;
}

ModelSet::ModelSet(std::vector<OnnxModelSource> sources, Load load) : load_(std::move(load)) {
  if (!sources.empty()) first_name_ = sources.front().name;
  for (OnnxModelSource& source : sources) {
    Versions& versions = models_[source.name];
    const std::string version = source.version;
    versions[version] = Entry{std::move(source), nullptr, "not loaded yet"};
  }
}

Status ModelSet::load_entry(const OnnxModelSource& source) {
  auto model = load_(source);
  const std::unique_lock lock(mutex_);
  Entry& entry = models_[source.name][source.version];
  if (!model) {
    if (!entry.model) entry.reason = model.error().message;
    return fail(model.error().code,
                fmt::format("model {} version {}: {}", source.name, source.version, model.error().message));
  }
  entry.model.swap(*model);  // the old one goes after the lock
  entry.reason.clear();
  return {};
}

Status ModelSet::load_all() {
  const std::lock_guard changing(changing_);
  for (const Entry& entry : entries()) ROOST_CHECK(load_entry(entry.source));
  return {};
}

Status ModelSet::load(const std::string& name) {
  const std::lock_guard changing(changing_);
  bool is_there = false;
  for (const Entry& entry : entries()) {
    if (entry.source.name != name) continue;
    is_there = true;
    ROOST_CHECK(load_entry(entry.source));
  }
  if (!is_there) return fail(ErrorCode::kNotFound, fmt::format("there is no model '{}' in the repository", name));
  return {};
}

Status ModelSet::unload(const std::string& name) {
  const std::lock_guard changing(changing_);
  std::vector<std::shared_ptr<LoadedModel>> gone;  // after the lock
  const std::unique_lock lock(mutex_);
  const auto found = models_.find(name);
  if (found == models_.end())
    return fail(ErrorCode::kNotFound, fmt::format("there is no model '{}' in the repository", name));
  for (auto& [version, entry] : found->second) {
    gone.push_back(std::move(entry.model));
    entry.model = nullptr;
    entry.reason = "unloaded";
  }
  return {};
}

Result<std::shared_ptr<LoadedModel>> ModelSet::find(const std::string& name, const std::string& version) const {
  const std::shared_lock lock(mutex_);
  const auto found = models_.find(name);
  if (found == models_.end()) {
    std::vector<std::string> names;
    for (const auto& [other, versions] : models_) names.push_back(other);
    return fail(ErrorCode::kNotFound, fmt::format("there is no model '{}'; there is {}", name, fmt::join(names, ", ")));
  }
  const Entry* last = nullptr;
  for (const auto& [own, entry] : found->second) {
    if (!version.empty() && own != version) continue;
    if (entry.model) return entry.model;
    last = &entry;
  }
  if (last != nullptr)
    return fail(ErrorCode::kUnavailable,
                fmt::format("model '{}' version {} is not ready: {}", name, last->source.version, last->reason));
  std::vector<std::string> versions;
  for (const auto& [own, entry] : found->second) versions.push_back(own);
  return fail(ErrorCode::kNotFound,
              fmt::format("model '{}' has no version '{}'; there is {}", name, version, fmt::join(versions, ", ")));
}

std::vector<std::string> ModelSet::versions(const std::string& name) const {
  std::vector<std::string> versions;
  for (const Entry& entry : entries()) {
    if (entry.source.name == name && entry.model) versions.push_back(entry.source.version);
  }
  std::ranges::reverse(versions);
  return versions;
}

std::vector<std::shared_ptr<LoadedModel>> ModelSet::loaded() const {
  std::vector<std::shared_ptr<LoadedModel>> models;
  for (Entry& entry : entries()) {
    if (entry.model) models.push_back(std::move(entry.model));
  }
  return models;
}

std::vector<ModelSet::Entry> ModelSet::entries() const {
  const std::shared_lock lock(mutex_);
  std::vector<Entry> entries;
  for (const auto& [name, versions] : models_) {
    for (const auto& [version, entry] : versions) entries.push_back(entry);
  }
  return entries;
}

bool ModelSet::are_all_loaded() const {
  for (const Entry& entry : entries()) {
    if (!entry.model) return false;
  }
  return true;
}

}  // namespace roost
