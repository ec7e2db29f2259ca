#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roost {

// Reads what pip prints, line by line, and says at the end why it failed.
class PipOutput {
 public:
  void add(std::string_view line);

  // The requirement that no version fulfils, and which versions there are for this interpreter.
  struct NoVersion {
    std::string requirement;
    std::vector<std::string> versions;
  };
  const std::optional<NoVersion>& no_version() const { return no_version_; }
  // The requirement that has no ready-made wheel here and could not be built from its source.
  const std::string& failed_source() const { return failed_source_; }

  // A version that was withdrawn was taken because it is pinned.
  bool yanked() const { return yanked_; }

  // Nothing can be said of packages then.
  bool could_not_connect() const { return could_not_connect_; }

  // The line that matters, in words.
  std::string problem() const;

 private:
  std::optional<NoVersion> no_version_;
  std::string conflict_;
  std::vector<std::string> conflict_details_;
  std::string collecting_;  // the requirement pip is at
  std::string failed_source_;
  std::string source_error_;
  bool in_source_output_ = false;
  std::string last_error_;
  bool could_not_connect_ = false;
  bool yanked_ = false;
};

}  // namespace roost
