#include "runner/plain_command.h"

#include <algorithm>
#include <array>

namespace roost {
namespace {

// What bash does itself, and words of its language. `true` and `false` are left out: the programs do the same.
constexpr auto kOfTheShell = std::to_array<std::string_view>({
    ".",       ":",      "alias",  "bg",      "bind",     "break",    "builtin", "caller",  "case",     "cd",
    "command", "compgen", "complete", "compopt", "continue", "coproc",  "declare", "dirs",    "disown",   "do",
    "done",    "echo",   "elif",   "else",    "enable",   "esac",     "eval",    "exec",    "exit",     "export",
    "fc",      "fg",     "fi",     "for",     "function", "getopts",  "hash",    "help",    "history",  "if",
    "in",      "jobs",   "kill",   "let",     "local",    "logout",   "mapfile", "popd",    "printf",   "pushd",
    "pwd",     "read",   "readarray", "readonly", "return", "select", "set",     "shift",   "shopt",    "source",
    "suspend", "test",   "then",   "time",    "times",    "trap",     "type",    "typeset", "ulimit",   "umask",
    "unalias", "unset",  "until",  "wait",    "while",
});

bool is_plain(char c) {
  const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_word || std::string_view("_-+=:,./@%").find(c) != std::string_view::npos;
}

bool changes_the_shell(const std::string& name) { return name == "BASH_ENV" || name.starts_with("BASH_FUNC_"); }

}  // namespace

std::optional<std::vector<std::string>> plain_words(std::string_view line,
                                                    const std::map<std::string, std::string>& variables) {
  std::vector<std::string> words;
  bool in_word = false;
  for (const char c : line) {
    if (c == ' ' || c == '\t') {
      in_word = false;
      continue;
    }
    if (!is_plain(c)) return std::nullopt;
    if (!in_word) words.emplace_back();
    words.back() += c;
    in_word = true;
  }
  if (words.empty()) return std::nullopt;
  const std::string& first = words.front();
  const bool is_assignment = first.find('=') != std::string::npos;
  if (is_assignment || std::find(kOfTheShell.begin(), kOfTheShell.end(), first) != kOfTheShell.end()) return std::nullopt;
  const bool is_told_more = std::any_of(variables.begin(), variables.end(),
                                        [](const auto& variable) { return changes_the_shell(variable.first); });
  if (is_told_more) return std::nullopt;
  return words;
}

}  // namespace roost
