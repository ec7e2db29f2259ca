#pragma once

#include <string>

#include "base/result.h"

namespace roost {

// A server's address as users write it.
struct Url {
  bool tls = false;
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
  std::string authority;  // host and port as they go into the Host header
  std::string prefix;     // the path, without a slash at its end
};

// "http://127.0.0.1:8422", "https://[::1]/prefix/". kInvalidArgument says what is wrong.
Result<Url> parse_url(const std::string& text);

}  // namespace roost
