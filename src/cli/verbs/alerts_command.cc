#include <memory>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/pages.h"
#include "net/router.h"

namespace roost {
namespace {

struct AlertOptions {
  std::string name;
  std::string webhook;
  std::string secret;
  std::string slack;
  std::vector<std::string> mail;
  std::string from;
  std::string smtp;
  std::string security;
  std::string user;
  std::string password_file;
  std::string experiment;
  std::vector<std::string> events;
  std::int64_t limit = 20;
  bool desktop = false;
};

std::string channel_path(const std::string& name, const std::string& rest = "") {
  return "/alerts/channels/" + percent_encode(name) + rest;
}

std::string joined(const Json& list) {
  std::vector<std::string> words;
  for (const Json& one : list) words.push_back(one.is_string() ? one.get<std::string>() : "");
  return fmt::format("{}", fmt::join(words, ","));
}

Json event_list(const std::vector<std::string>& given) {
  Json events = Json::array();
  for (const auto& text : given) {
    for (const auto& word : split(text, ',')) events.push_back(word);
  }
  return events;
}

Result<Json> mail_body(const AlertOptions& options) {
  Json body = {{"kind", "mail"}, {"to", options.mail}, {"from", options.from.empty() ? options.mail.front() : options.from}};
  if (options.smtp.empty()) return fail(ErrorCode::kInvalidArgument, "--mail needs --smtp HOST[:PORT], the server that takes it");
  const auto colon = options.smtp.rfind(':');
  body["host"] = options.smtp.substr(0, colon);
  if (colon != std::string::npos) {
    const std::string port = options.smtp.substr(colon + 1);
    if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != std::string::npos) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("--smtp \"{}\" must be HOST or HOST:PORT", printable(options.smtp)));
    }
    body["port"] = std::stoi(port);
  }
  if (!options.security.empty()) body["security"] = options.security;
  if (!options.user.empty()) body["user"] = options.user;
  if (!options.password_file.empty()) {
    ROOST_TRY(const std::string text, read_file(options.password_file));
    body["password"] = std::string(trim(text));
  }
  return body;
}

Result<Json> channel_body(const AlertOptions& options, std::string& made_secret) {
  const int kinds = (options.webhook.empty() ? 0 : 1) + (options.slack.empty() ? 0 : 1) + (options.mail.empty() ? 0 : 1) + (options.desktop ? 1 : 0);
  if (kinds != 1) return fail(ErrorCode::kInvalidArgument, "say where to: one of --webhook, --slack, --mail and --desktop");
  if (options.desktop) return Json{{"kind", "desktop"}};
  if (!options.slack.empty()) return Json{{"kind", "slack"}, {"url", options.slack}};
  if (!options.mail.empty()) return mail_body(options);
  if (options.secret.empty()) made_secret = random_hex(24);
  return Json{{"kind", "webhook"}, {"url", options.webhook}, {"secret", options.secret.empty() ? made_secret : options.secret}};
}

Result<Json> add_rule(Console& console, const AlertOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  Json body = {{"channel", options.name}, {"events", event_list(options.events)}};
  if (!options.experiment.empty()) body["experiment"] = options.experiment;
  return client->post(console.in_workspace("/alert-rules"), body);
}

Result<int> add(Console& console, const AlertOptions& options) {
  std::string made_secret;
  ROOST_TRY(const Json body, channel_body(options, made_secret));
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(Json channel, client->call("PUT", channel_path(options.name), &body));
  Json rule;
  if (!options.events.empty() || !options.experiment.empty()) {
    ROOST_TRY(rule, add_rule(console, options));
  }
  if (console.json()) {
    channel["rule"] = rule;
    if (!made_secret.empty()) channel["secret"] = made_secret;
    return console.print_json(channel);
  }
  if (!made_secret.empty()) {
    Console::print(made_secret + "\n");
    std::fputs("its secret, by which the receiver checks the signature; it is not shown again\n", stderr);
  }
  std::fprintf(stderr, "roost alerts test %s sends one now; roost submit --notify %s asks for those of a run\n",
               printable(options.name).c_str(), printable(options.name).c_str());
  return 0;
}

Result<int> on(Console& console, const AlertOptions& options) {
  ROOST_TRY(const Json rule, add_rule(console, options));
  if (console.json()) return console.print_json(rule);
  return Console::print(fmt::format("rule {}: {} of {} to {}\n", text_field(rule, "id"), joined(child(rule, "events")),
                                    options.experiment.empty() ? "all runs of " + console.workspace() : options.experiment, options.name));
}

std::string target_of(const Json& channel) {
  const Json& settings = child(channel, "settings");
  if (text_field(channel, "kind") == "mail") return joined(child(settings, "to"));
  return text_field(settings, "host");
}

Result<int> list(Console& console, const AlertOptions&) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json channels, client->get("/alerts/channels"));
  ROOST_TRY(const Json rules, client->get(console.in_workspace("/alert-rules")));
  if (console.json()) return console.print_json({{"channels", child(channels, "items")}, {"rules", child(rules, "items")}});
  if (child(channels, "items").empty()) {
    std::fputs("no channels; `roost alerts add` makes one\n", stderr);
    return 0;
  }
  TextTable table({{"CHANNEL"}, {"KIND"}, {"TO", false, true}});
  for (const Json& one : child(channels, "items")) table.add({text_field(one, "name"), text_field(one, "kind"), target_of(one)});
  Console::print(table.text(console.out(), terminal_width(1)));
  if (child(rules, "items").empty()) return 0;
  TextTable asked({{"RULE", true}, {"CHANNEL"}, {"EXPERIMENT", false, true}, {"EVENTS", false, true}});
  for (const Json& one : child(rules, "items")) {
    const std::string experiment = text_field(one, "experiment");
    asked.add({text_field(one, "id"), text_field(one, "channel"), experiment.empty() ? "all" : experiment, joined(child(one, "events"))});
  }
  return Console::print("\n" + asked.text(console.out(), terminal_width(1)));
}

Result<int> remove(Console& console, const AlertOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  const bool is_rule = !options.name.empty() && options.name.find_first_not_of("0123456789") == std::string::npos;
  const std::string path = is_rule ? console.in_workspace("/alert-rules/" + options.name) : channel_path(options.name);
  ROOST_TRY(const Json answer, client->call("DELETE", path, nullptr));
  if (console.json()) return console.print_json(answer);
  return Console::print(fmt::format("removed {} {}\n", is_rule ? "rule" : "channel", options.name));
}

Result<int> test(Console& console, const AlertOptions& options) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json alert, client->post(channel_path(options.name, "/test"), Json::object()));
  const bool sent = text_field(alert, "state") == "sent";
  if (console.json()) {
    console.print_json(alert);
    return sent ? 0 : 1;
  }
  if (!sent) return fail(ErrorCode::kFailedPrecondition, fmt::format("{} could not be reached: {}", options.name, text_field(alert, "error")));
  return Console::print(fmt::format("sent to {}\n", options.name));
}

Result<int> log(Console& console, const AlertOptions& options) {
  if (options.limit < 1) return fail(ErrorCode::kInvalidArgument, "--limit must be at least 1");
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json alerts, all_items(*client, console.in_workspace("/alerts"), static_cast<std::size_t>(options.limit)));
  if (console.json()) return console.print_json(alerts);
  if (child(alerts, "items").empty()) {
    std::fputs("nothing was sent yet\n", stderr);
    return 0;
  }
  TextTable table({{"WHEN"}, {"EVENT"}, {"CHANNEL"}, {"STATE"}, {"RUN", false, true}, {"TROUBLE", false, true}});
  const Micros now = now_micros();
  for (const Json& one : child(alerts, "items")) {
    const std::string state = text_field(one, "state");
    const auto at = time_field(one, "at");
    table.add({at ? time_ago(*at, now) : "", text_field(one, "event"), text_field(one, "channel"),
               {state, state == "failed" ? Tone::kRed : Tone::kPlain}, text_field(one, "run"), text_field(one, "error")});
  }
  return Console::print(table.text(console.out(), terminal_width(1)));
}

}  // namespace

void register_alerts(Verb& root, Console& console) {
  auto options = std::make_shared<AlertOptions>();
  const auto act = [&console, options](Result<int> (*what)(Console&, const AlertOptions&)) {
    return [&console, options, what] { return what(console, *options); };
  };
  const char* events = "end, failure, hang, divergence, idle_gpu, low_disk; more than one with commas (default: end)";
  Verb& verb = root.verb("alerts", "Be told when runs end, fail, hang or diverge").group(kServerGroup);
  verb.verb("ls", "List channels, and who is told of what").action(act(list));
  verb.verb("add", "Make a channel, and with --on or --experiment a rule for it")
      .argument("NAME", options->name, "what to call it")
      .option("--webhook", options->webhook, "URL", "post JSON there, signed")
      .option("--secret", options->secret, "TEXT", "what webhooks are signed with (default: a new one, printed once)")
      .option("--slack", options->slack, "URL", "an incoming webhook of Slack or what is like it")
      .option("--mail", options->mail, "ADDRESS", "by mail; may be given more than once")
      .option("--smtp", options->smtp, "HOST[:PORT]", "the server that takes the mail")
      .option("--from", options->from, "ADDRESS", "the sender (default: the first receiver)")
      .option("--security", options->security, "KIND", "of the mail server: starttls, tls or none (default: starttls)")
      .option("--user", options->user, "NAME", "to log in to the mail server")
      .option("--password-file", options->password_file, "FILE", "with the password for it")
      .flag("--desktop", options->desktop, "notifications of browsers in which the studio is open")
      .option("--on", options->events, "EVENT,...", events)
      .option("-e,--experiment", options->experiment, "NAME", "only of this experiment (default: of all)")
      .example("roost alerts add team --webhook https://example.org/hooks/roost --on failure,hang")
      .example("roost alerts add me --mail ann@example.org --smtp mail.example.org --on end")
      .action(act(add));
  verb.verb("on", "Tell a channel of more")
      .argument("CHANNEL", options->name, "whom to tell")
      .optional_arguments("EVENT", options->events, events)
      .option("-e,--experiment", options->experiment, "NAME", "only of this experiment (default: of all)")
      .example("roost alerts on team divergence idle_gpu --experiment birds")
      .action(act(on));
  verb.verb("rm", "Remove a channel, or a rule by its number")
      .argument("CHANNEL", options->name, "its name, or the number of a rule")
      .action(act(remove));
  verb.verb("test", "Send one now")
      .argument("CHANNEL", options->name, "where to")
      .action(act(test));
  verb.verb("log", "What was sent, what waits and what could not be sent, newest first")
      .option("-n,--limit", options->limit, "N", "at most so many (default: 20)")
      .action(act(log));
}

}  // namespace roost
