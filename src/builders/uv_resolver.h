#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "builders/package_sources.h"
#include "builders/resolver.h"

namespace roost {

// `uv pip compile` for one interpreter. Questions and answers are files in a folder of the build's own.
class UvResolver : public Resolver {
 public:
  struct Options {
    std::string uv;
    std::string python;
    std::filesystem::path folder;
    std::vector<std::string> more;         // further words: --torch-backend, --find-links
    std::vector<std::string> constraints;  // of every question
    bool pristine = false;                 // nothing is in the environment yet
    std::vector<std::string> excluded;     // packages that are never taken, whoever asks for them
    std::function<std::vector<std::string>(const std::string& name)> versions;  // asks another; may be empty
  };
  UvResolver(Options options, const PackageSources& sources) : options_(std::move(options)), sources_(sources) {}

  Result<Answer> ask(const Question& question) override;
  bool knows_lowest() const override { return true; }
  std::vector<std::string> versions(const std::string& name) override {
    return options_.versions ? options_.versions(name) : std::vector<std::string>();
  }

  // The words of both, asking and installing.
  static std::vector<std::string> binary_words(const Question& question);
  Result<std::vector<std::string>> source_words();

 private:
  Result<std::string> write(const std::string& name, const std::vector<std::string>& lines);
  Options options_;
  const PackageSources& sources_;
  int asked_ = 0;
};

// The text of an error of uv's, in one line, without what is not about packages.
std::string uv_problem(const std::vector<std::string>& lines);
bool says_unreachable(std::string_view uv_error);

// Reads what uv prints while it builds sources: which one failed ("name==version"), and the line that says why.
class UvBuildOutput {
 public:
  void add(std::string_view line);
  const std::string& package() const { return package_; }
  std::string problem() const;

 private:
  std::string package_;
  std::string error_;
};

}  // namespace roost
