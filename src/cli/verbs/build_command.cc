#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "builders/build_order.h"
#include "cli/verbs/server_verbs.h"
#include "runner/supervise.h"

namespace roost {
namespace {

struct BuildOptions {
  std::string order;
  std::string result;
  bool supervised = false;
};

// Starts this program again and stays above it, so that whatever a build starts, compilers and daemons of packages
// included, ends with it: when it is done, when the server says so (SIGQUIT), when the server is gone.
Result<int> build_supervised(const BuildOptions& options) {
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  std::vector<std::string> words = {"/proc/self/exe", "build-environment", "--order",     options.order,
                                    "--result",       options.result,      "--supervised"};
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const Fd ignored(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const Supervised program{argv.data(), environ, STDOUT_FILENO};
  return supervise(ignored.get(), &program, 1);
}

// Reads the order, builds, prints the log, writes the result.
Result<int> build(const BuildOptions& options) {
  if (!options.supervised) return build_supervised(options);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  ROOST_TRY(const std::string text, read_file(options.order));
  ROOST_TRY(const Json json, parse_json(text, options.order));
  const BuildOrder order = build_order_from(json);
  const auto built = build_environment(order, [](std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
  });
  const Json result = built ? built_json(*built) : Json{{"error", built.error().message}};
  ROOST_CHECK(write_file_atomic(options.result, to_text(result)));
  return built ? 0 : 1;
}

}  // namespace

void register_build(Verb& root) {
  auto options = std::make_shared<BuildOptions>();
  root.verb("build-environment", "Build one environment; the server starts these")
      .group(kServerGroup)
      .hidden()
      .required_option("--order", options->order, "FILE", "what to build, and where")
      .required_option("--result", options->result, "FILE", "where to say what came of it")
      .flag("--supervised", options->supervised, "started by this verb itself")
      .action([options]() -> Result<int> { return build(*options); });
}

}  // namespace roost
