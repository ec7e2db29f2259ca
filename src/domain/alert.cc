#include "domain/alert.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

struct Named {
  AlertEvent event;
  std::string_view name;
};
constexpr std::array<Named, 6> kEvents = {{{AlertEvent::kEnd, "end"},
                                           {AlertEvent::kFailure, "failure"},
                                           {AlertEvent::kHang, "hang"},
                                           {AlertEvent::kDivergence, "divergence"},
                                           {AlertEvent::kIdleGpu, "idle_gpu"},
                                           {AlertEvent::kLowDisk, "low_disk"}}};

constexpr std::size_t kMostReceivers = 50;
constexpr std::size_t kShortestSecret = 16;

tl::unexpected<Error> wrong(std::string message) { return fail(ErrorCode::kInvalidArgument, std::move(message)); }

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c < 0x7F; });
}

// The part of an address that may be shown; the rest of it is often a password.
Result<std::string> host_of(const std::string& url) {
  const bool http = url.starts_with("https://") || url.starts_with("http://");
  const auto begin = http ? url.find("://") + 3 : std::string::npos;
  const std::string host = http ? url.substr(0, url.find_first_of("/?#", begin)) : "";
  if (!http || !is_plain(url) || host.size() <= begin || host.find('@') != std::string::npos || url.size() > 2000 ||
      url.find('#') != std::string::npos) {
    return wrong("\"url\" must be like https://host/path, at most 2000 characters, without a user, a # or blanks");
  }
  return host;
}

Status check_address(const std::string& address) {
  const auto at = address.find('@');
  const bool odd = address.find_first_of("<>,;\"\\") != std::string::npos;
  if (is_plain(address) && !odd && at != 0 && at != std::string::npos && at + 1 < address.size() &&
      address.find('@', at + 1) == std::string::npos && address.size() <= 254) {
    return {};
  }
  return wrong(fmt::format("\"{}\" is not a mail address like ann@example.org", printable(address)));
}

Result<ChannelSpec> parse_web(JsonFields& fields, std::string kind) {
  ChannelSpec spec{std::move(kind), Json::object(), Json::object()};
  const std::string url = fields.required_string("url");
  const bool is_signed = spec.kind == "webhook";
  const std::string secret = is_signed ? fields.required_string("secret") : "";
  ROOST_CHECK(fields.done());
  ROOST_TRY(spec.settings["host"], host_of(url));
  spec.secret["url"] = url;
  if (!is_signed) return spec;
  if (secret.size() < kShortestSecret || secret.size() > 500 || !is_plain(secret)) {
    return wrong("\"secret\", by which the receiver knows that an alert is from here, must have 16 to 500 visible characters");
  }
  spec.secret["secret"] = secret;
  return spec;
}

Result<ChannelSpec> parse_mail(JsonFields& fields) {
  ChannelSpec spec{"mail", Json::object(), Json::object()};
  const auto to = fields.strings("to");
  const std::string from = fields.required_string("from");
  const std::string host = fields.required_string("host");
  const std::string security = fields.string("security", "starttls");
  const std::int64_t port = fields.integer("port", security == "tls" ? 465 : 587, 1, 65535);
  const std::string user = fields.string("user");
  const std::string password = fields.string("password");
  ROOST_CHECK(fields.done());
  if (to.empty() || to.size() > kMostReceivers) return wrong(fmt::format("\"to\" must have 1 to {} mail addresses", kMostReceivers));
  for (const auto& address : to) ROOST_CHECK(check_address(address));
  ROOST_CHECK(check_address(from));
  if (!is_plain(host) || host.empty() || host.size() > 253 || host.find_first_of("/@") != std::string::npos) {
    return wrong(fmt::format("\"host\" is \"{}\"; it must be the name of a mail server", printable(host)));
  }
  if (security != "starttls" && security != "tls" && security != "none") {
    return wrong(fmt::format("\"security\" is \"{}\"; it must be starttls, tls or none", printable(security)));
  }
  if (security == "none" && !password.empty()) return wrong("a password is not sent without TLS: \"security\" must be starttls or tls");
  if (user.empty() != password.empty()) return wrong("\"user\" and \"password\" go together");
  if (user.size() > 500 || password.size() > 500) return wrong("\"user\" and \"password\" have at most 500 bytes");
  spec.settings = {{"to", to}, {"from", from}, {"host", host}, {"port", port}, {"security", security}, {"user", user}};
  spec.secret = {{"password", password}};
  return spec;
}

}  // namespace

std::string_view alert_event_name(AlertEvent event) {
  for (const auto& one : kEvents) {
    if (one.event == event) return one.name;
  }
  return "";
}

std::vector<std::string> alert_event_names(AlertEvents events) {
  std::vector<std::string> names;
  for (const auto& one : kEvents) {
    if ((events & alert_bit(one.event)) != 0) names.emplace_back(one.name);
  }
  return names;
}

Result<AlertEvents> parse_alert_events(const std::vector<std::string>& names) {
  AlertEvents events = 0;
  for (const auto& name : names) {
    const auto found = std::find_if(kEvents.begin(), kEvents.end(), [&](const Named& one) { return one.name == name; });
    if (found == kEvents.end()) {
      return wrong(fmt::format("there is no event \"{}\"; they are end, failure, hang, divergence, idle_gpu and low_disk",
                               printable(name)));
    }
    events |= alert_bit(found->event);
  }
  return events == 0 ? alert_bit(AlertEvent::kEnd) : events;
}

Result<Notify> parse_notify(std::string_view text) {
  const auto colon = text.find(':');
  Notify notify;
  notify.channel = text.substr(0, colon);
  ROOST_CHECK(check_channel_name(notify.channel));
  std::vector<std::string> names;
  if (colon != std::string_view::npos) names = split(std::string(text.substr(colon + 1)), ',');
  ROOST_TRY(notify.events, parse_alert_events(names));
  return notify;
}

Result<ChannelSpec> parse_channel(const Json& body) {
  JsonFields fields(body, "the channel");
  std::string kind = fields.required_string("kind");
  if (kind == "webhook" || kind == "slack") return parse_web(fields, std::move(kind));
  if (kind == "mail") return parse_mail(fields);
  if (kind == "desktop") {
    ROOST_CHECK(fields.done());
    return ChannelSpec{std::move(kind), Json::object(), Json::object()};
  }
  return wrong(fmt::format("\"kind\" is \"{}\"; it must be webhook, slack, mail or desktop", printable(kind)));
}

Status check_channel_name(std::string_view name) {
  const bool fits = !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
  if (fits) return {};
  return wrong(fmt::format("\"{}\" is not a name of a channel: up to 64 letters, digits, -, _ and .", printable(name)));
}

}  // namespace roost
