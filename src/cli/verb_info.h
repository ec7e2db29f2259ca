#pragma once

#include <memory>
#include <string>
#include <vector>

namespace roost {

// What the command line offers, as plain values: the help, the completion scripts and the
// suggestions are made from it.
struct OptionInfo {
  std::vector<std::string> names;  // "-f", "--follow"; for a positional one name without dashes
  std::string value;               // "URL", empty for a flag
  std::string help;
  bool positional = false;
  bool required = false;
  bool repeated = false;
};

struct VerbInfo {
  std::string name;
  std::string path;  // as typed: "roost compute create"
  std::string help;  // one line
  std::string group;
  std::string details;                // paragraphs below the usage
  std::vector<std::string> examples;  // without "$ "
  std::vector<OptionInfo> options;
  std::vector<std::unique_ptr<VerbInfo>> verbs;
  bool hidden = false;
  bool ends_as_run = false;    // its exit code is that of a run's script
  bool takes_command = false;  // "-- COMMAND..." follows
};

}  // namespace roost
