#include "domain/run_params.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kMaxParams = 200;

// -0.5 is a value, -n and --name are not.
bool is_name(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && word != "--" && word[1] != '.' && (word[1] < '0' || word[1] > '9');
}

// The words of a command line without pipes, lists and redirections; empty for any other.
std::vector<std::string> simple_words(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else if (quote == '"' && c == '\\' && i + 1 < command.size()) {
        word += command[++i];
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == '\\' && i + 1 < command.size()) {
      if (command[++i] != '\n') word += command[i];
      in_word = true;
    } else if (c == ' ' || c == '\t') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else if (std::string_view(";|&<>()`\n").find(c) != std::string_view::npos) {
      return {};
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return {};
  if (in_word) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> words_of(const Json& spec) {
  if (!spec.is_object()) return {};
  if (const auto command = spec.find("command"); command != spec.end() && command->is_string()) {
    auto words = simple_words(trim(command->get_ref<const std::string&>()));
    const auto script =
        std::find_if(words.begin(), words.end(), [](const std::string& word) { return word.ends_with(".py"); });
    if (script != words.end()) words.erase(words.begin(), script + 1);
    return words;
  }
  std::vector<std::string> words;
  if (const auto arguments = spec.find("arguments"); arguments != spec.end() && arguments->is_array()) {
    for (const Json& word : *arguments) {
      if (word.is_string()) words.push_back(word.get<std::string>());
    }
  }
  return words;
}

}  // namespace

std::optional<double> param_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::vector<RunParam> run_params(const Json& spec) {
  std::vector<RunParam> params;
  const auto words = words_of(spec);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") break;
    if (!is_name(words[i])) continue;
    std::string_view name = words[i];
    name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
    std::string_view value = "true";
    if (const auto equals = name.find('='); equals != std::string_view::npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    } else if (i + 1 < words.size() && !is_name(words[i + 1]) && words[i + 1] != "--") {
      value = words[++i];
    }
    if (name.empty() || name.size() > 100 || value.size() > 1000 || !is_utf8(name) || !is_utf8(value)) continue;
    const auto same = std::find_if(params.begin(), params.end(), [&](const RunParam& p) { return p.name == name; });
    RunParam param{std::string(name), std::string(value), param_number(value)};
    if (same != params.end()) {
      *same = std::move(param);
    } else if (params.size() < kMaxParams) {
      params.push_back(std::move(param));
    }
  }
  return params;
}

}  // namespace roost
