#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "builders/build_order.h"
#include "builders/node_packages.h"
#include "builders/package_sources.h"
#include "builders/pin_mover.h"

namespace roost {

// uv or pip at work on one environment: asks for versions, installs them.
class PackageTool {
 public:
  // `base` is an interpreter that may have a pip, `python` that of the environment. `folder` is for files
  // of the work and goes with the object.
  static Result<std::unique_ptr<PackageTool>> open(const BuildOrder& order, const std::string& base,
                                                   const std::string& python, const std::vector<std::string>& lines,
                                                   const std::filesystem::path& folder, const BuildLog& log);
  ~PackageTool();

  bool is_uv() const { return !uv_.empty(); }
  const PackageSources& sources() const { return sources_; }
  const std::filesystem::path& folder() const { return folder_; }

  // What counts for all questions and for installing from now on.
  std::vector<std::string> more;         // words that both programs know
  std::vector<std::string> constraints;
  std::vector<std::string> excluded;     // only uv can
  bool torch_cpu_index = false;          // only uv can
  // Whether nothing of a package is in the environment yet. Then its interpreter runs none of their code, and what takes
  // ready-made wheels only need not be confined.
  bool pristine = false;
  // Makes the environment anew, empty. Without it what was installed stays.
  std::function<Status()> start_over;

  std::unique_ptr<Resolver> resolver() const;

  // What came of filling an environment.
  struct Filled {
    std::map<std::string, std::string> urls;  // by name, the lines of those that came from a URL
    NodePackages kept;                        // of the packages that were there, those that are used
  };
  // Finds versions for all requirements together and installs them. `there` are packages that need not be
  // installed, if what fits is exactly them. A source that cannot be built moves its pin under Pins::kNearest.
  Result<Filled> fill(const std::vector<std::string>& requirements, Pins pins, const NodePackages& there);

  // Installs these and nothing else. `unbuilt` is the package whose source could not be built, if that was it.
  Status install(const Settled& settled, std::string& unbuilt);

 private:
  // One call of uv or pip. Its lines are taken without what they need, unless told.
  struct Step {
    std::vector<std::string> lines = {};
    bool wheels_only = false;
    bool trusted = false;   // runs nothing of a package
    bool isolated = true;   // what is built sees only what it asks for, not the environment
    bool with_needs = false;
    std::vector<std::string> more = {};                    // words of this step
    std::map<std::string, std::string> variables = {};
    BuildLog on_line = {};  // of uv, in place of the log
  };
  explicit PackageTool(const BuildLog& log) : log_(log) {}
  Result<bool> fill_at_once(const std::vector<std::string>& requirements);
  void keep_out(HiddenFolders hidden, const std::string& cache);
  Status run_step(const Step& step, const std::set<std::string>& only_binary, std::string& unbuilt);
  Status run_uv(const Step& step, const std::string& file, const std::set<std::string>& only_binary, std::string& unbuilt);
  Status run_pip(const Step& step, const std::string& file, const std::set<std::string>& only_binary, std::string& unbuilt);
  Status compile(const std::vector<std::string>& lines, const Settled& settled, std::string& unbuilt);

  const BuildLog& log_;
  std::string uv_;
  std::string python_;
  std::vector<std::string> pip_;
  PackageSources sources_;
  std::filesystem::path folder_;
};

}  // namespace roost
