#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/pages.h"
#include "cli/work/read_secret.h"
#include "domain/names.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr std::size_t kShortestMasked = 6;

struct SecretOptions {
  std::string name;
  std::string from_env;
};

std::string path_of(const Console& console, const std::string& name) {
  return console.in_workspace("/secrets/" + percent_encode(name));
}

Result<int> set(Console& console, const SecretOptions& options) {
  if (options.name.find('=') != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument,
                "give the name alone: a value among the arguments can be read by everybody on this machine. It is asked for, "
                "or read from standard input: 'roost secret set NAME < file'");
  }
  ROOST_CHECK(check_secret_name(options.name));
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const std::string value, read_secret(options.name, options.from_env));
  const Json body = {{"value", value}};
  ROOST_TRY(const Json made, client->call("PUT", path_of(console, options.name), &body));
  if (value.size() < kShortestMasked) {
    std::fprintf(stderr, "%s\n",
                 console
                     .err()(Tone::kYellow, fmt::format("{} has fewer than {} characters: logs that print it are not masked",
                                                       options.name, kShortestMasked))
                     .c_str());
  }
  if (console.json()) return console.print_json(made);
  return Console::print(fmt::format("set {}; a run gets it by --secret {}\n", options.name, options.name));
}

Result<int> list(Console& console) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json secrets, all_items(*client, console.in_workspace("/secrets")));
  if (console.json()) return console.print_json(secrets);
  if (child(secrets, "items").empty()) {
    return Console::print(fmt::format("the workspace {} has no secrets; 'roost secret set NAME' makes one\n", console.workspace()));
  }
  const Micros now = now_micros();
  TextTable table({{"NAME", false, true}, {"CHANGED"}, {"BY", false, true}});
  for (const Json& secret : child(secrets, "items")) {
    const auto updated = time_field(secret, "updated_at");
    table.add({text_field(secret, "name"), updated ? time_ago(*updated, now) : "", text_field(secret, "updated_by")});
  }
  return Console::print(table.text(console.out(), terminal_width(1)));
}

Result<int> remove(Console& console, const std::string& name) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json gone, client->call("DELETE", path_of(console, name), nullptr));
  if (console.json()) return console.print_json(gone);
  return Console::print(fmt::format("removed {}; runs that name it and have not begun will fail\n", text_field(gone, "name")));
}

}  // namespace

void register_secret(Verb& root, Console& console) {
  auto options = std::make_shared<SecretOptions>();
  Verb& verb = root.verb("secret", "Keep passwords and keys for runs: sealed, shown to nobody")
                   .group(kTrainGroup)
                   .details(
                       "A secret belongs to the workspace and is sealed on the server's disk. A run gets it\n"
                       "by `roost submit --secret NAME`, or reads it by run.get_secret(\"NAME\"). Where a run\n"
                       "prints it, its logs have *** instead.");
  verb.verb("set", "Store a secret, or give it another value")
      .argument("NAME", options->name, "its name: letters, digits, '-' and '_'")
      .option("--from-env", options->from_env, "VARIABLE", "take the value that this variable has here")
      .details("The value is asked for without echo, or read from standard input. It is never an argument,\n"
               "which everybody on the machine could read.")
      .example("roost secret set WANDB_API_KEY")
      .example("roost secret set deploy-key < ~/.ssh/id_ed25519")
      .example("roost secret set HF_TOKEN --from-env HF_TOKEN")
      .action([&console, options] { return set(console, *options); });
  verb.verb("ls", "List the names of secrets").action([&console] { return list(console); });
  verb.verb("rm", "Remove a secret")
      .argument("NAME", options->name, "its name, see `roost secret ls`")
      .action([&console, options] { return remove(console, options->name); });
}

}  // namespace roost
