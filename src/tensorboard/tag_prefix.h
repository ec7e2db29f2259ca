#pragma once

#include <map>
#include <string>

namespace roost {

// What the tags of an event file begin with as metrics of a run: the folder it lies in. Folders that a framework made up
// from the time (PyTorch's "runs/Nov18_20-12-01_host", Lightning's "version_0", "20261118-201201") would give a
// metric another name in each run, so they are left out; of several such beside one another only the first.
class TagPrefixes {
 public:
  // `folder` is relative to ./logs or ./outputs: "" or "a/b". Gives "" or "a/b/".
  std::string prefix_of(const std::string& folder);

 private:
  std::map<std::string, std::string> owners_;  // prefix -> the folder that has it
};

}  // namespace roost
