#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/verbs/commands.h"
#include "net/router.h"

namespace roost {
namespace {

std::string tracking_uri(const Console& console, const ServerAddress& address) {
  std::string url = address.url;
  while (url.ends_with('/')) url.pop_back();
  if (console.workspace() == "default") return url;
  return fmt::format("{}/mlflow/{}", url, percent_encode(console.workspace()));
}

Result<int> uri(Console& console) {
  ROOST_TRY(const ServerAddress address, console.address());
  const std::string text = tracking_uri(console, address);
  if (console.json()) return console.print_json({{"uri", text}});
  Console::print(text + "\n");
  if (std::getenv("MLFLOW_TRACKING_TOKEN") == nullptr) {
    std::fprintf(
        stderr, "%s\n",
        console.err()(Tone::kDim, "MLflow also needs a token: eval \"$(roost mlflow env)\" sets both.").c_str());
  }
  return 0;
}

// Lines for a shell. The token stays out of the address, which MLflow prints at the end of each run.
Result<int> env(Console& console) {
  ROOST_TRY(const ServerAddress address, console.address());
  Json variables = {{"MLFLOW_TRACKING_URI", tracking_uri(console, address)}, {"MLFLOW_TRACKING_TOKEN", address.token}};
  if (!address.ca_file.empty()) variables["MLFLOW_TRACKING_SERVER_CERT_PATH"] = address.ca_file;
  if (console.json()) return console.print_json(variables);
  for (const auto& variable : variables.items()) {
    Console::print(fmt::format("export {}={}\n", variable.key(), shell_quote(variable.value().get<std::string>())));
  }
  return 0;
}

}  // namespace

void register_mlflow(Verb& root, Console& console) {
  Verb& verb = root.verb("mlflow", "Log into Roost with MLflow's client").group(kServerGroup);
  verb.verb("uri", "Print the workspace's tracking address")
      .example("export MLFLOW_TRACKING_URI=$(roost mlflow uri)")
      .action([&console] { return uri(console); });
  verb.verb("env", "Print the shell lines that set the address and the token")
      .example("eval \"$(roost mlflow env)\" && python train.py")
      .action([&console] { return env(console); });
}

}  // namespace roost
