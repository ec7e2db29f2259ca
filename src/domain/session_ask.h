#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace roost {

// What somebody wants of a run while it has processes: a program beside them, or one of its ports.
struct SessionAsk {
  std::vector<std::string> command;  // words; none with a port
  std::int64_t port = 0;             // 0: none
  std::optional<std::int64_t> rank;  // in whose place; the first one's if nothing is said
  struct Terminal {
    std::int64_t rows = 24;
    std::int64_t columns = 80;
    std::string type;  // $TERM
  };
  std::optional<Terminal> terminal;  // none: pipes
};

// From untrusted JSON: {"command", "port", "rank", "terminal": {"rows", "columns", "type"}}.
Result<SessionAsk> parse_session_ask(const Json& body);
// As the node is told it.
Json session_ask_json(const SessionAsk& ask);
// What the run's history says of it.
std::string session_ask_text(const SessionAsk& ask, const std::string& user);

}  // namespace roost
