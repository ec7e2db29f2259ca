#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace roost {

// The ends of logs, for transactions, which must not read files: of() tells what was read before, and notes what was
// not, so that it can be read outside and the transaction tried again. For one thread at a time; of() may be asked on
// another one than the rest, but not at the same time.
class LogTails {
 public:
  struct Name {
    std::string run;
    std::int64_t attempt = 0;
    std::string log;
    auto operator<=>(const Name&) const = default;
  };
  struct Tail {
    std::string text;
    std::vector<std::string> lines;  // the last ones, for people
  };

  // Empty if it was not read, or if there is no such log.
  const Tail& of(const Name& name) const;
  bool is_incomplete() const { return !missing_.empty(); }
  Status incomplete() const { return fail(ErrorCode::kInternal, "the ends of logs have to be read first"); }
  void read_missing(const std::function<Tail(const Name&)>& read);

 private:
  std::map<Name, Tail> known_;
  mutable std::set<Name> missing_;
};

// Reads the end of a log; an empty one if there is no such log.
using ReadTail = std::function<LogTails::Tail(const LogTails::Name&)>;

}  // namespace roost
