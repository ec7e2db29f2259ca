#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "base/files.h"
#include "builders/build_order.h"
#include "cli/server_verbs.h"

namespace roost {
namespace {

struct BuildOptions {
  std::string order;
  std::string result;
};

// Reads the order, builds, prints the log, writes the result. The server ends this process with
// itself, and this process everything it started.
Result<int> build(const BuildOptions& options) {
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
      .action([options]() -> Result<int> { return build(*options); });
}

}  // namespace roost
