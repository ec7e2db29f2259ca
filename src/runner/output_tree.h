#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "runner/notices.h"

namespace roost {

// A file below ./outputs of a run.
struct FoundOutput {
  std::string path;  // "outputs/model.pt"
  std::string file;  // where its bytes are below the root: another place if it is a link
  struct stat info {};
};

// ./outputs of a run, below a root that the run owns and may change at any time.
class OutputTree {
 public:
  // `root` is the folder that has ./outputs.
  explicit OutputTree(std::string root);

  // All files, sorted by path. Links are followed to files below the root. What cannot be kept (other
  // links, FIFOs, names that are no text, folders that cannot be read) is in `notices`.
  std::vector<FoundOutput> find(Notices& notices) const;
  int root() const { return root_.get(); }

 private:
  void take_link(const std::string& path, std::vector<FoundOutput>& found, Notices& notices) const;

  std::string root_path_;
  Fd root_;
};

}  // namespace roost
