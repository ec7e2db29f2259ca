#pragma once

#include <sys/stat.h>

#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "runner/notices.h"

namespace roost {

// A file below ./outputs of a run, or one that MLflow made.
struct FoundOutput {
  std::string path;  // "outputs/model.pt"
  std::string file;  // where its bytes are below the root: another place if it is a link
  struct stat info {};
};

// Where MLflow logs as long as no server answers it: files, and since 3.7 a database beside them.
inline constexpr const char* kMlflowFolder = "mlruns";
inline constexpr const char* kMlflowDatabase = "mlflow.db";

// ./outputs of a run, below a root that the run owns and may change at any time.
class OutputTree {
 public:
  // `root` is the folder that has ./outputs. What MLflow left in it counts too as far as it changed after `launched`:
  // the rest came with the code.
  explicit OutputTree(std::string root, std::optional<timespec> launched = {});

  // All files, sorted by path. Links are followed to files below the root. What cannot be kept (other
  // links, FIFOs, names that are no text, folders that cannot be read) is in `notices`.
  std::vector<FoundOutput> find(Notices& notices) const;
  int root() const { return root_.get(); }

 private:
  void find_of_mlflow(struct TreeVisitor visitor) const;
  void take_link(const std::string& path, std::vector<FoundOutput>& found, Notices& notices) const;

  std::string root_path_;
  Fd root_;
  std::optional<timespec> launched_;
};

}  // namespace roost
