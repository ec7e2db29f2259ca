#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/http.h"

namespace roost {

// How the body that follows is delimited.
struct BodyFraming {
  enum Kind { kLength, kChunked, kUntilClose, kNone } kind = kLength;
  std::uint64_t length = 0;
};

// The status line and headers of a response, with the empty line after them. Line breaks in header
// values become spaces, so that no value can add a header. `extra` is taken as it is.
std::string response_head(const Response& response, const BodyFraming& framing, bool keep_alive,
                          bool http_1_0, std::string_view extra = {});

}  // namespace roost
