#include "net/url.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace roost {
namespace {

tl::unexpected<Error> bad_url(const std::string& text, const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, "bad server URL '" + printable(text) + "': " + why +
                                               "; it should look like http://127.0.0.1:8422");
}

bool is_port(std::string_view text) {
  const bool digits =
      !text.empty() && text.size() <= 5 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits && std::stoi(std::string(text)) <= 65535;
}

}  // namespace

Result<Url> parse_url(const std::string& text) {
  Url url;
  std::string_view rest = text;
  if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else if (rest.starts_with("https://")) {
    url.tls = true;
    rest.remove_prefix(8);
  } else {
    return bad_url(text, "it must start with http:// or https://");
  }
  if (std::any_of(rest.begin(), rest.end(),
                  [](char c) { return static_cast<unsigned char>(c) <= 0x20; }) ||
      rest.find_first_of("?#@") != std::string_view::npos) {
    return bad_url(text, "spaces, '?', '#' and '@' do not belong there");
  }
  const std::size_t slash = rest.find('/');
  const std::string_view authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) {
    std::string_view prefix = rest.substr(slash);
    while (prefix.ends_with('/')) prefix.remove_suffix(1);
    url.prefix = prefix;
  }
  std::size_t host_end = authority.rfind(':');
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return bad_url(text, "the ']' is missing");
    url.host = authority.substr(1, bracket - 1);
    host_end = bracket + 1 < authority.size() ? bracket + 1 : std::string_view::npos;
    if (host_end != std::string_view::npos && authority[host_end] != ':') {
      return bad_url(text, "after the ']' there must be ':' and the port");
    }
  } else {
    url.host = authority.substr(0, host_end);
  }
  if (url.host.empty()) return bad_url(text, "the host is missing");
  url.port = url.tls ? "443" : "80";
  if (host_end != std::string_view::npos) {
    url.port = authority.substr(host_end + 1);
    if (!is_port(url.port)) return bad_url(text, "the port must be a number up to 65535");
  }
  url.authority = authority;
  return url;
}

}  // namespace roost
