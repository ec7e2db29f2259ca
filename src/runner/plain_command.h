#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roost {

// The words of a command line that a shell would do nothing with but start the program it names: no quotes, no
// expansion, no redirection, nothing that is a shell's own. A shell costs more than many a small program, so such a
// line is started without one. None if it needs a shell, or if the environment tells the shell to do more (BASH_ENV,
// functions that were exported to it).
std::optional<std::vector<std::string>> plain_words(std::string_view line,
                                                    const std::map<std::string, std::string>& variables);

}  // namespace roost
