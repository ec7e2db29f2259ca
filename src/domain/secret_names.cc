#include "domain/secret_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace roost {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// In capitals.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  char before = '_';
  for (const char c : name) {
    const bool is_apart = c == '_' || c == '-' || c == '.';
    if (!is_apart && (before == '_' || (is_capital(c) && is_small(before)))) words.emplace_back();
    if (!is_apart) words.back() += is_small(c) ? static_cast<char>(c - 'a' + 'A') : c;
    before = is_apart ? '_' : c;
  }
  while (!words.empty()) {
    std::string& last = words.back();
    while (!last.empty() && is_digit(last.back())) last.pop_back();
    if (!last.empty()) break;
    words.pop_back();
  }
  return words;
}

template <std::size_t n>
bool is_among(const std::array<std::string_view, n>& all, std::string_view word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

constexpr std::array<std::string_view, 5> kSecrets = {"TOKEN", "SECRET", "PASSPHRASE", "APIKEY", "APITOKEN"};
// Tokens of a text.
constexpr std::array<std::string_view, 17> kOfText = {"PAD",   "BOS",  "EOS",   "UNK",    "MASK", "SEP",  "CLS",   "SPECIAL", "START",
                                                      "STOP",  "END",  "IMAGE", "NEXT",   "PER",  "EACH", "PREFIX", "SUFFIX"};
// Keys of data.
constexpr std::array<std::string_view, 31> kOfData = {
    "PUBLIC", "PRIMARY", "FOREIGN", "SORT",  "PARTITION", "CACHE",  "LABEL",  "IMAGE",  "TEXT",    "TARGET", "FEATURE",
    "INPUT",  "OUTPUT",  "GROUP",   "HASH",  "MAP",       "DICT",   "METRIC", "DATA",   "INDEX",   "JOIN",   "BATCH",
    "SAMPLE", "COLUMN",  "ROW",     "FIELD", "STATE",     "OBJECT", "RNG",    "RANDOM", "SEED"};

}  // namespace

bool names_secret(std::string_view variable) {
  const auto words = words_of(variable);
  if (words.empty()) return false;
  const std::string& last = words.back();
  const std::string before = words.size() > 1 ? words[words.size() - 2] : "";
  if (last == "TOKEN" && is_among(kOfText, before)) return false;
  if (is_among(kSecrets, last) || last.ends_with("PASSWORD") || last.ends_with("PASSWD")) return true;
  if (last == "STRING") return before == "CONNECTION";
  return last == "KEY" && !before.empty() && !is_among(kOfData, before);
}

}  // namespace roost
