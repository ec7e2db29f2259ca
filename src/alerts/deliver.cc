#include "alerts/deliver.h"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "net/http_client.h"
#include "net/router.h"
#include "net/send_mail.h"

namespace roost {
namespace {

using std::chrono::milliseconds;

// A receiver that takes longer is tried again later; others wait meanwhile.
constexpr milliseconds kPatience{10'000};

std::string run_page(const Alert& alert, const std::string& url) {
  return alert.run.empty() ? url : fmt::format("{}/runs/{}", url, percent_encode(alert.run));
}

std::string title_of(const Alert& alert) {
  if (alert.run.empty()) return fmt::format("[roost] {}", alert.event);
  return fmt::format("[roost] {} {}: {}", alert.experiment, alert.event, alert.run);
}

// The client speaks of Roost's own server in what it advises.
std::string reason_of(const Error& error) { return error.message.substr(0, error.message.find("; is the server running")); }

Status post(const std::string& url, const std::string& body, std::map<std::string, std::string> headers) {
  const auto path = url.find('/', url.find("://") + 3);
  const auto query = url.find('?');
  const std::string origin = url.substr(0, std::min(path, query));
  ClientRequest request;
  request.method = "POST";
  request.target = origin.size() == url.size() ? "/" : url.substr(origin.size());
  if (request.target.starts_with('?')) request.target.insert(0, "/");
  request.headers = std::move(headers);
  request.headers["Content-Type"] = "application/json";
  request.headers["User-Agent"] = "roost/" ROOST_VERSION;
  request.body = body;
  HttpClient::Options options;
  options.idle_timeout = kPatience;
  HttpClient client(origin, options);
  const auto answer = client.send(request);
  if (!answer) return fail(answer.error().code, reason_of(answer.error()));
  if (answer->status >= 200 && answer->status < 300) return {};
  if (answer->status >= 300 && answer->status < 400) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} sends us elsewhere ({}), which is not followed; configure the final address", origin, answer->status));
  }
  return fail(answer->status >= 500 ? ErrorCode::kUnavailable : ErrorCode::kFailedPrecondition,
              fmt::format("{} answered {}: {}", origin, answer->status, printable(answer->body, 200)));
}

Status send_by_mail(const Channel& channel, const Alert& alert, const std::string& url) {
  const Json& settings = channel.spec.settings;
  MailServer server;
  server.host = text_at(settings, "host");
  server.port = static_cast<int>(integer_at(settings, "port", 587));
  const std::string security = text_at(settings, "security");
  server.security = security == "tls"    ? MailServer::Security::kTls
                    : security == "none" ? MailServer::Security::kNone
                                         : MailServer::Security::kStartTls;
  server.user = text_at(settings, "user");
  server.password = text_at(channel.spec.secret, "password");
  Mail mail;
  mail.from = text_at(settings, "from");
  for (const auto& to : array_at(settings, "to")) mail.to.push_back(to.is_string() ? to.get<std::string>() : "");
  mail.subject = title_of(alert);
  mail.text = fmt::format("{}\n\n{}\n", alert.message, run_page(alert, url));
  mail.id = fmt::format("{}@roost", alert.delivery);
  const std::time_t at = static_cast<std::time_t>(alert.at / kSecond);
  mail.date = fmt::format("{:%a, %d %b %Y %H:%M:%S} +0000", fmt::gmtime(at));
  return send_mail(server, mail, kPatience);
}

}  // namespace

Json webhook_body(const Alert& alert, const std::string& url) {
  const auto maybe = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return {{"id", alert.delivery},
          {"event", alert.event},
          {"at", format_time(alert.at)},
          {"workspace", maybe(alert.workspace)},
          {"experiment", maybe(alert.experiment)},
          {"run", maybe(alert.run)},
          {"message", alert.message},
          {"url", run_page(alert, url)}};
}

Json slack_body(const Alert& alert, const std::string& url) {
  // Their three characters that mean something.
  std::string text;
  for (const char c : alert.message) {
    if (c == '&') {
      text += "&amp;";
    } else if (c == '<') {
      text += "&lt;";
    } else if (c == '>') {
      text += "&gt;";
    } else {
      text += c;
    }
  }
  const std::string link = alert.run.empty() ? "" : fmt::format("\n<{}|{}>", run_page(alert, url), alert.run);
  return {{"text", fmt::format("*{}* {}{}", alert.event, text, link)}};
}

Status deliver(const Channel& channel, const Alert& alert, const std::string& url, Micros now) {
  if (channel.spec.kind == "desktop") return {};  // open pages see it by themselves
  if (channel.spec.kind == "mail") return send_by_mail(channel, alert, url);
  const std::string to = text_at(channel.spec.secret, "url");
  if (channel.spec.kind == "slack") return post(to, to_text(slack_body(alert, url)), {});
  const std::string body = to_text(webhook_body(alert, url));
  const std::string timestamp = std::to_string(now / kSecond);
  const std::string key = text_at(channel.spec.secret, "secret");
  return post(to, body, {{"X-Roost-Event", alert.event},
                         {"X-Roost-Delivery", alert.delivery},
                         {"X-Roost-Timestamp", timestamp},
                         {"X-Roost-Signature", "sha256=" + hmac_hex(key, timestamp + "." + body)}});
}

}  // namespace roost
