#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace roost {

// One word of a command line, and how it stands there: quoted, for a line that a shell reads.
struct CommandWord {
  std::string text;
  std::string written;
};

// The words of a line that is one program with its arguments. A "$" stays as it is written, for the shell to expand.
// kFailedPrecondition for a line that is more than that (pipes, several commands, assignments before it, substitutions),
// in which nobody can say which option is whose.
Result<std::vector<CommandWord>> command_words(const std::string& line);
std::string command_line_of(const std::vector<CommandWord>& words);

// What a line is with some options changed. Each option among `changes` ("--lr", with the words behind it as its values;
// "--lr=0.1" is the same) takes the place of that option in `words`, wherever else it stands it goes, and what was not there
// before is added at the end. An option with one value replaces one, a flag none, one with several all words up to the next
// option. kInvalidArgument if `changes` does not begin with an option.
Result<std::vector<CommandWord>> change_options(std::vector<CommandWord> words, const std::vector<std::string>& changes,
                                                bool is_shell_line);

}  // namespace roost
