#include "domain/change_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

// "-0.5" and "-" are values.
bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && word != "--" && (word[1] < '0' || word[1] > '9') && word[1] != '.';
}

std::string name_of(const std::string& word) { return word.substr(0, word.find('=')); }
bool has_own_value(const std::string& word) { return word.find('=') != std::string::npos; }

struct Change {
  std::string name;
  std::vector<std::string> words;  // all of it, as it was given
};

Result<std::vector<Change>> changes_of(const std::vector<std::string>& given) {
  std::vector<Change> changes;
  for (const auto& word : given) {
    if (is_option(word)) changes.push_back({name_of(word), {}});
    if (changes.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("\"{}\" is no option that could be changed; begin with one, such as --lr 0.1, or give the whole "
                              "command line",
                              printable(word)));
    }
    changes.back().words.push_back(word);
  }
  return changes;
}

// How many of the words behind the option at `at` are its values, going by how many the change has.
std::size_t values_at(const std::vector<CommandWord>& words, std::size_t at, const Change& change) {
  if (has_own_value(words[at].text)) return 0;
  const std::size_t given = has_own_value(change.words.front()) ? 1 : change.words.size() - 1;
  std::size_t there = 0;
  while (at + 1 + there < words.size() && !is_option(words[at + 1 + there].text)) ++there;
  return given > 1 ? there : std::min(given, there);
}

}  // namespace

Result<std::vector<CommandWord>> command_words(const std::string& line) {
  const auto refuse = [&] {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("its command is more than one program with its arguments ({}), so that single options of it cannot "
                            "be changed; give the whole command line",
                            printable(line)));
  };
  std::vector<CommandWord> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      in_word = false;
      continue;
    }
    if (c == '\n' || (quote == 0 && std::string_view("|&;<>()").find(c) != std::string_view::npos) ||
        (quote != '\'' && (c == '`' || (c == '$' && i + 1 < line.size() && line[i + 1] == '(')))) {
      return refuse();
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    words.back().written += c;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back().written += line[++i];
      words.back().text += line[i];
    } else {
      words.back().text += c;
    }
  }
  const bool is_assignment = !words.empty() && has_own_value(words.front().text);
  if (quote != 0 || words.empty() || is_assignment) return refuse();
  return words;
}

std::string command_line_of(const std::vector<CommandWord>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + word.written;
  return line;
}

Result<std::vector<CommandWord>> change_options(std::vector<CommandWord> words, const std::vector<std::string>& changes,
                                                bool is_shell_line) {
  ROOST_TRY(const auto all, changes_of(changes));
  for (const auto& change : all) {
    std::vector<CommandWord> anew;
    for (const auto& word : change.words) anew.push_back({word, is_shell_line ? shell_quote(word) : word});
    std::size_t place = words.size();
    for (std::size_t at = words.size(); at-- > 0;) {
      if (!is_option(words[at].text) || name_of(words[at].text) != change.name) continue;
      const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
      words.erase(first, first + 1 + static_cast<std::ptrdiff_t>(values_at(words, at, change)));
      place = at;
    }
    place = std::min(place, words.size());
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(place), anew.begin(), anew.end());
  }
  return words;
}

}  // namespace roost
