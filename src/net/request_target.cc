#include "net/request_target.h"

#include "base/text.h"
#include "net/router.h"

namespace roost {
namespace {

tl::unexpected<Error> malformed(std::string_view target, std::string_view why) {
  return fail(ErrorCode::kInvalidArgument,
              "malformed request target '" + printable(target) + "': " + std::string(why));
}

bool parse_query(std::string_view text, std::multimap<std::string, std::string>& query) {
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    std::string name;
    std::string value;
    if (!percent_decode(pair.substr(0, equals), name, true)) return false;
    if (equals != std::string_view::npos && !percent_decode(pair.substr(equals + 1), value, true)) {
      return false;
    }
    query.emplace(std::move(name), std::move(value));
  }
  return true;
}

}  // namespace

Result<std::string> parse_request_target(std::string_view target, Request& request) {
  std::string_view rest = target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!rest.starts_with(scheme)) continue;
    const std::size_t path = rest.find_first_of("/?", scheme.size());
    rest = path == std::string_view::npos ? std::string_view() : rest.substr(path);
    break;
  }
  if (rest.empty() && !target.empty()) rest = "/";
  if (rest.empty() || (rest[0] != '/' && rest[0] != '?')) {
    return malformed(target, "it must start with '/'");
  }
  if (rest.find('#') != std::string_view::npos) {
    return malformed(target, "it must not have a '#'; encode it as %23");
  }
  const std::size_t question = rest.find('?');
  std::string raw_path(rest.substr(0, question));
  request.target = rest;
  if (raw_path.empty()) {
    raw_path = "/";
    request.target.insert(0, "/");
  }
  if (!percent_decode(raw_path, request.path)) {
    return malformed(target, "'%' must be followed by two hexadecimal digits");
  }
  if (question != std::string_view::npos) request.query_text = rest.substr(question + 1);
  if (!parse_query(request.query_text, request.query)) {
    return malformed(target, "'%' in the query must be followed by two hexadecimal digits");
  }
  return raw_path;
}

}  // namespace roost
