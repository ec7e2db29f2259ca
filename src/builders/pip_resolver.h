#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "builders/package_sources.h"
#include "builders/resolver.h"

namespace roost {

// `pip install --dry-run` for one environment: where there is no uv.
class PipResolver : public Resolver {
 public:
  struct Options {
    std::vector<std::string> pip;  // the words that start it
    std::filesystem::path folder;
    std::vector<std::string> more;         // further words: --find-links
    std::vector<std::string> constraints;  // of every question
    bool pristine = false;                 // nothing is in the environment yet
  };
  PipResolver(Options options, const PackageSources& sources) : options_(std::move(options)), sources_(sources) {}

  Result<Answer> ask(const Question& question) override;
  bool knows_lowest() const override { return false; }
  std::vector<std::string> versions(const std::string& name) override;

 private:
  Result<Answer> ask_lowest(const Question& question);
  std::vector<std::string> versions_of(const std::string& name, bool wheels_only);
  Options options_;
  const PackageSources& sources_;
  int asked_ = 0;
};

}  // namespace roost
