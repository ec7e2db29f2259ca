#include <memory>

#include <fmt/format.h>

#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/pages.h"
#include "net/router.h"

namespace roost {
namespace {

struct TokenOptions {
  std::string name;
  std::string role = "reader";
  std::string expires;
};

Result<int> create(Console& console, const TokenOptions& options) {
  Json body = {{"name", options.name}, {"role", options.role}};
  if (!options.expires.empty()) {
    ROOST_TRY(const std::int64_t seconds, parse_duration(options.expires, "--expires"));
    body["expires_in_seconds"] = seconds;
  }
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json token, client->post("/tokens", body));
  if (console.json()) return console.print_json(token);
  // Alone on standard output, so that a script can take it.
  Console::print(text_field(token, "token") + "\n");
  std::fprintf(stderr, "%s\n",
               console
                   .err()(Tone::kDim,
                          "It is shown only now. Use it as ROOST_TOKEN, with the server's "
                          "address as ROOST_URL.")
                   .c_str());
  return 0;
}

std::string until(const Json& token, Micros now) {
  if (child(token, "revoked") == true) return "revoked";
  const auto expires = time_field(token, "expires_at");
  if (!expires) return "never";
  return *expires <= now ? "expired" : format_time(*expires).substr(0, 10);
}

Result<int> list(Console& console) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json tokens, all_items(*client, "/tokens"));
  if (console.json()) return console.print_json(tokens);
  const Micros now = now_micros();
  TextTable table({{"ID"}, {"NAME", false, true}, {"ROLE"}, {"CREATED"}, {"GOOD UNTIL"}});
  for (const Json& token : child(tokens, "items")) {
    const auto created = time_field(token, "created_at");
    const std::string good_until = until(token, now);
    const Tone tone = good_until == "revoked" || good_until == "expired" ? Tone::kDim : Tone::kPlain;
    table.add({{text_field(token, "id"), tone},
               {text_field(token, "name"), tone},
               {text_field(token, "role"), tone},
               {created ? time_ago(*created, now) : "", tone},
               {good_until, tone}});
  }
  return Console::print(table.text(console.out(), terminal_width(1)));
}

Result<int> remove(Console& console, const std::string& id) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json answer, client->call("DELETE", "/tokens/" + percent_encode(id), nullptr));
  if (console.json()) return console.print_json(answer);
  return Console::print(fmt::format("revoked {}\n", id));
}

}  // namespace

void register_token(Verb& root, Console& console) {
  auto options = std::make_shared<TokenOptions>();
  Verb& verb = root.verb("token", "Give others access, and take it back").group(kServerGroup);
  verb.verb("create", "Make a token and print it, this once")
      .argument("NAME", options->name, "whom it is for")
      .option("--role", options->role, "ROLE", "owner, contributor or reader (default)")
      .option("--expires", options->expires, "TIME",
              "good for so long: 12h, 30d (default: for ever)")
      .example("roost token create anna --role reader --expires 30d")
      .action([&console, options] { return create(console, *options); });
  verb.verb("ls", "List tokens").action([&console] { return list(console); });
  verb.verb("rm", "Revoke a token; the last owner's that is good stays")
      .argument("ID", options->name, "its id, see `roost token ls`")
      .action([&console, options] { return remove(console, options->name); });
}

}  // namespace roost
