#pragma once

#include <string>

#include "base/json.h"
#include "client/api_client.h"

namespace roost {

// What a session is connected with here. With a terminal its size is told, and told again when it changes; it must be in
// raw mode already (RawTerminal).
struct SessionEnds {
  int input = 0;
  int output = 1;
  int errors = 2;
  bool is_terminal = false;
};

// Opens a session with the run ("open_session" says what `ask` is) and passes bytes until it ends, which may be never. The
// exit code of what ran there; an error if it did not run to its end, in words.
Result<int> pass_session(const ServerAddress& server, const std::string& run, const Json& ask, const SessionEnds& ends);

// {"rows", "columns", "type"} of this terminal.
Json terminal_description();

// Standard input as it was typed, key by key, while this lives.
class RawTerminal {
 public:
  RawTerminal();
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  std::string before_;  // the settings, as bytes
};

}  // namespace roost
