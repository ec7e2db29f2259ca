#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/verb_info.h"

namespace roost {

// What a verb does once its options are read: the exit code, or an error that is printed as
// "roost: <message>" and becomes the exit code of its code.
using Action = std::function<Result<int>()>;

// One verb of the command line. Lives as long as its CommandLine. The variables given to its
// options must live until run() returned, so verbs keep them in what their action owns.
//
// This and CommandLine stand before CLI11 so that one file compiles its templates instead of all.
class Verb {
 public:
  struct Parser;
  explicit Verb(std::unique_ptr<Parser> parser);
  ~Verb();
  Verb(const Verb&) = delete;
  Verb& operator=(const Verb&) = delete;

  Verb& verb(const std::string& name, const std::string& help);

  // `names` is like "-n,--limit". `value` is what the help calls the value.
  Verb& option(const std::string& names, std::string& target, const std::string& value,
               const std::string& help);
  Verb& option(const std::string& names, std::int64_t& target, const std::string& value,
               const std::string& help);
  Verb& option(const std::string& names, std::optional<std::int64_t>& target,
               const std::string& value, const std::string& help);
  // May be given more than once, one value each time.
  Verb& option(const std::string& names, std::vector<std::string>& target, const std::string& value,
               const std::string& help);
  Verb& flag(const std::string& names, bool& target, const std::string& help);
  Verb& required_option(const std::string& names, std::string& target, const std::string& value,
                        const std::string& help);

  Verb& argument(const std::string& name, std::string& target, const std::string& help);
  Verb& optional_argument(const std::string& name, std::string& target, const std::string& help);
  Verb& arguments(const std::string& name, std::vector<std::string>& target,
                  const std::string& help);
  Verb& optional_arguments(const std::string& name, std::vector<std::string>& target,
                           const std::string& help);
  // Takes everything after "--".
  Verb& command(std::vector<std::string>& target, const std::string& help);

  Verb& group(const std::string& name);
  Verb& details(const std::string& text);
  Verb& example(const std::string& command);
  Verb& hidden();
  // It ends with the exit code of a run's script, so its own errors have other ones: kOwnErrors + that of the code.
  Verb& ends_as_run();
  Verb& action(Action action);

  const VerbInfo& info() const;

 private:
  friend class CommandLine;
  std::unique_ptr<Parser> parser_;
};

// What the exit code of an error is raised by in verbs that end as a run does.
inline constexpr int kOwnErrors = 120;

class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& help, const std::string& version);
  ~CommandLine();

  Verb& root() { return *root_; }
  const VerbInfo& info() const { return root_->info(); }

  // Reads the arguments and does the chosen verb's action; prints the help and the errors itself.
  // `colour` says, after the global options are known, whether a file descriptor takes colour; `check` whether they
  // make sense, before the verb does anything.
  int run(int argc, const char* const* argv, const std::function<bool(int)>& colour, const std::function<Status()>& check);

 private:
  int wrong_call(const std::string& message, const VerbInfo& verb);

  std::unique_ptr<Verb> root_;
};

}  // namespace roost
