#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roost {

// What a program said of its own failure at the end of its output.
struct Traceback {
  std::string exception;           // "ValueError: bad batch", with all lines of its message
  std::vector<std::string> lines;  // from "Traceback" to the exception, without a launcher's prefixes
};

// The last Python traceback, fatal error or uncaught C++ exception in the output of one process.
std::optional<Traceback> last_traceback(std::string_view output);
// The same in lines that have no prefixes any more.
std::optional<Traceback> last_traceback(const std::vector<std::string>& lines);
// All of them, in their order.
std::vector<Traceback> all_tracebacks(const std::vector<std::string>& lines);

// What to do about an exception that says the environment lacks something distributed runs need, as a
// sentence to follow the exception; "" for all others.
std::string advice_on(std::string_view exception);

// Its first line, or all of it where that is nothing but the type: what tells one kind from another.
std::string heading_of(std::string_view exception);

// True if an error is what a process says when one of its peers went away.
bool is_secondary(std::string_view error);
// True if it says that it waited for a peer in vain.
bool is_timeout(std::string_view error);

}  // namespace roost
