#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/verbs/commands.h"
#include "net/router.h"

namespace roost {
namespace {

// What MLflow's clients call the tracking address of the workspace.
Result<std::string> tracking_uri(Console& console) {
  ROOST_TRY(ApiClient * client, console.client());
  const std::string workspace = percent_encode(console.workspace());
  // A workspace that is not there is better told now than by a client that tries again for minutes.
  ROOST_CHECK(client->get("/workspaces/" + workspace));
  return client->address().url + "/mlflow/" + workspace;
}

Result<int> print_uri(Console& console) {
  ROOST_TRY(const std::string uri, tracking_uri(console));
  if (console.json()) return Console::print_json({{"uri", uri}});
  return Console::print(uri + "\n");
}

Result<int> print_exports(Console& console) {
  ROOST_TRY(const std::string uri, tracking_uri(console));
  ROOST_TRY(const ServerAddress address, console.address());
  Json variables = {{"MLFLOW_TRACKING_URI", uri}, {"MLFLOW_TRACKING_TOKEN", address.token}};
  if (!address.ca_file.empty()) variables["MLFLOW_TRACKING_SERVER_CERT_PATH"] = address.ca_file;
  if (console.json()) return Console::print_json(variables);
  std::string text;
  for (const auto& item : variables.items()) {
    text += fmt::format("export {}={}\n", item.key(), shell_quote(item.value().get<std::string>()));
  }
  return Console::print(text);
}

}  // namespace

void register_mlflow(Verb& root, Console& console) {
  Verb& verb = root.verb("mlflow", "Let MLflow's clients log here").group(kTrainGroup);
  verb.verb("uri", "Print the tracking address of the workspace")
      .details("Clients need a token besides: 'roost mlflow env' prints both. In a run both are set.")
      .example("export MLFLOW_TRACKING_URI=$(roost mlflow uri)")
      .action([&console] { return print_uri(console); });
  verb.verb("env", "Print the lines that set the address and the token")
      .details("The token is the one that this program calls the server with: keep it out of files that others read.")
      .example("eval \"$(roost mlflow env)\"")
      .example("eval \"$(roost mlflow env --workspace birds)\"")
      .action([&console] { return print_exports(console); });
}

}  // namespace roost
