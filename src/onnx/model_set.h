#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "onnx/loaded_model.h"

namespace roost {

// The models of a replica by name and version. A model is replaced in one step: requests that have the old one finish
// on it, and it goes with the last of them. Thread-safe.
class ModelSet {
 public:
  using Load = std::function<Result<std::shared_ptr<LoadedModel>>(const OnnxModelSource&)>;
  ModelSet(std::vector<OnnxModelSource> sources, Load load);

  // The first error, with the model's name before it.
  Status load_all();
  // All versions of a name, again if they are there. What was there goes on until the new one is ready, and stays if it
  // cannot be loaded.
  Status load(const std::string& name);
  Status unload(const std::string& name);

  // Version "": the highest that is there. kNotFound names those there are; kUnavailable while it is not loaded.
  Result<std::shared_ptr<LoadedModel>> find(const std::string& name, const std::string& version = "") const;
  const std::string& first_name() const { return first_name_; }
  std::vector<std::string> versions(const std::string& name) const;  // that are loaded, lowest first
  std::vector<std::shared_ptr<LoadedModel>> loaded() const;

  struct Entry {
    OnnxModelSource source;
    std::shared_ptr<LoadedModel> model;  // null while it is not loaded
    std::string reason;                  // why it is not
  };
  std::vector<Entry> entries() const;
  bool are_all_loaded() const;

 private:
  struct HigherVersion {
    bool operator()(const std::string& a, const std::string& b) const;
  };
  using Versions = std::map<std::string, Entry, HigherVersion>;

  Status load_entry(const OnnxModelSource& source);

  const Load load_;
  std::string first_name_;
  std::mutex changing_;  // one change at a time
  mutable std::shared_mutex mutex_;
  std::map<std::string, Versions> models_;
};

}  // namespace roost
