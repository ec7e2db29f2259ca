#include "snapshot/ignore_pattern.h"

#include <algorithm>

namespace roost {
namespace {

constexpr std::size_t kLongestPath = 4096;
using Bytes = std::bitset<256>;

bool is_special(char c) { return c == '*' || c == '?' || c == '[' || c == '\\'; }

bool has_special(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_special);
}

// The named classes are git's own: ASCII only, and '\v' and '\f' are no spaces.
std::optional<Bytes> named_class(std::string_view name) {
  const auto between = [](int c, int low, int high) { return c >= low && c <= high; };
  const auto digit = [&](int c) { return between(c, '0', '9'); };
  const auto lower = [&](int c) { return between(c, 'a', 'z'); };
  const auto upper = [&](int c) { return between(c, 'A', 'Z'); };
  const auto alpha = [&](int c) { return lower(c) || upper(c); };
  const auto graph = [&](int c) { return between(c, 0x21, 0x7E); };
  const auto fill = [](auto has) {
    Bytes out;
    for (int c = 0; c < 128; ++c) out[static_cast<std::size_t>(c)] = has(c);
    return out;
  };
  if (name == "alnum") return fill([&](int c) { return alpha(c) || digit(c); });
  if (name == "alpha") return fill(alpha);
  if (name == "blank") return fill([](int c) { return c == ' ' || c == '\t'; });
  if (name == "cntrl") return fill([](int c) { return c < 0x20 || c == 0x7F; });
  if (name == "digit") return fill(digit);
  if (name == "graph") return fill(graph);
  if (name == "lower") return fill(lower);
  if (name == "print") return fill([&](int c) { return graph(c) || c == ' '; });
  if (name == "punct") return fill([&](int c) { return graph(c) && !alpha(c) && !digit(c); });
  if (name == "space")
    return fill([](int c) { return c == ' ' || (c >= '\t' && c <= '\n') || c == '\r'; });
  if (name == "upper") return fill(upper);
  if (name == "xdigit") {
    return fill([&](int c) { return digit(c) || between(c, 'a', 'f') || between(c, 'A', 'F'); });
  }
  return std::nullopt;
}

// Reads "[...]" at the front and removes it.
std::optional<Bytes> read_class(std::string_view& rest) {
  std::size_t at = 1;
  const auto peek = [&](std::size_t i) { return i < rest.size() ? rest[i] : '\0'; };
  const bool negated = peek(at) == '!' || peek(at) == '^';
  if (negated) ++at;
  Bytes bytes;
  unsigned char range_start = 0;  // 0: a '-' here stands for itself
  for (bool first = true; first || peek(at) != ']'; first = false) {
    char c = peek(at);
    if (c == '\0') return std::nullopt;
    if (c == '-' && range_start != 0 && peek(at + 1) != '\0' && peek(at + 1) != ']') {
      c = peek(++at);
      if (c == '\\') c = peek(++at);
      if (c == '\0') return std::nullopt;
      for (int b = range_start; b <= static_cast<unsigned char>(c); ++b) {
        bytes.set(static_cast<std::size_t>(b));
      }
      range_start = 0;
      ++at;
      continue;
    }
    if (c == '[' && peek(at + 1) == ':') {
      const std::size_t end = rest.find(']', at + 2);
      if (end == std::string_view::npos) return std::nullopt;
      if (end > at + 2 && rest[end - 1] == ':') {
        const auto named = named_class(rest.substr(at + 2, end - 1 - (at + 2)));
        if (!named) return std::nullopt;
        bytes |= *named;
        range_start = 0;
        at = end + 1;
        continue;
      }
    } else if (c == '\\') {
      c = peek(++at);
      if (c == '\0') return std::nullopt;
    }
    range_start = static_cast<unsigned char>(c);
    bytes.set(range_start);
    ++at;
  }
  rest.remove_prefix(at + 1);
  if (negated) bytes.flip();
  bytes.reset('/');
  return bytes;
}

}  // namespace

std::optional<std::vector<Glob::Token>> Glob::tokens_of(std::string_view pattern) {
  std::vector<Token> tokens;
  const auto add_byte = [&](char c) {
    tokens.push_back({Token::kBytes, Bytes().set(static_cast<unsigned char>(c))});
  };
  bool after_slash = true;
  for (std::string_view rest = pattern; !rest.empty();) {
    const char c = rest[0];
    if (c == '*') {
      const std::size_t stars = std::min(rest.find_first_not_of('*'), rest.size());
      rest.remove_prefix(stars);
      const bool alone = stars > 1 && after_slash;
      if (alone && rest.substr(0, 1) == "/") {
        // "**/": nothing, or anything that ends in a slash. Twice in a row is the same as once.
        rest.remove_prefix(1);
        if (tokens.empty() || tokens.back().kind != Token::kDeepInside) {
          tokens.push_back({Token::kDeepEntry});
          tokens.push_back({Token::kDeepInside});
        }
        continue;
      }
      const bool deep = alone && (rest.empty() || rest.substr(0, 2) == "\\/");
      tokens.push_back({deep ? Token::kDeep : Token::kStar});
      after_slash = false;
      continue;
    }
    after_slash = c == '/';
    if (c == '[') {
      const auto bytes = read_class(rest);
      if (!bytes) return std::nullopt;
      tokens.push_back({Token::kBytes, *bytes});
    } else if (c == '\\') {
      if (rest.size() < 2) return std::nullopt;
      add_byte(rest[1]);
      after_slash = rest[1] == '/';
      rest.remove_prefix(2);
    } else if (c == '?') {
      tokens.push_back({Token::kBytes, Bytes().set().reset('/')});
      rest.remove_prefix(1);
    } else {
      add_byte(c);
      rest.remove_prefix(1);
    }
  }
  return tokens;
}

std::optional<Glob> Glob::compile(std::string_view pattern) {
  const auto tokens = tokens_of(pattern);
  if (!tokens) return std::nullopt;
  const auto fixed = std::count_if(tokens->begin(), tokens->end(),
                                   [](const Token& token) { return token.kind == Token::kBytes; });
  if (static_cast<std::size_t>(fixed) > kLongestPath) return std::nullopt;
  return Glob(*tokens);
}

Glob::Glob(const std::vector<Token>& tokens) {
  final_ = tokens.size();
  words_ = final_ / 64 + 1;
  skip_one_.resize(words_);
  skip_two_.resize(words_);
  const auto bit = [](std::size_t i) { return Word{1} << (i % 64); };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == Token::kBytes) ++shortest_;
    if (tokens[i].kind == Token::kDeepEntry) skip_two_[i / 64] |= bit(i);
    if (tokens[i].kind != Token::kBytes && tokens[i].kind != Token::kDeepInside) {
      skip_one_[i / 64] |= bit(i);
    }
  }
  std::vector<Word> rows(2 * words_);
  for (std::size_t c = 0; c < 256; ++c) {
    std::fill(rows.begin(), rows.end(), 0);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto& token = tokens[i];
      const bool slash = c == '/';
      const bool goes =
          token.kind == Token::kBytes ? token.bytes[c] : token.kind == Token::kDeepInside && slash;
      const bool stays = token.kind == Token::kDeep || token.kind == Token::kDeepInside ||
                         (token.kind == Token::kStar && !slash);
      if (goes) rows[i / 64] |= bit(i);
      if (stays) rows[words_ + i / 64] |= bit(i);
    }
    std::size_t found = 0;
    while (
        found < step_.size() &&
        !std::equal(rows.begin(), rows.end(), step_.begin() + static_cast<std::ptrdiff_t>(found))) {
      found += rows.size();
    }
    class_of_[c] = static_cast<std::uint8_t>(found / rows.size());
    if (found == step_.size()) step_.insert(step_.end(), rows.begin(), rows.end());
  }
  const bool ends_fixed = !tokens.empty() && tokens.back().kind == Token::kBytes;
  last_bytes_ = ends_fixed ? tokens.back().bytes : Bytes().set();
}

// Adds the states reached by matching nothing. Few tokens in a row can do that, so few rounds.
void Glob::close(Word* states) const {
  for (bool changed = true; changed;) {
    changed = false;
    Word carry = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      const Word one = states[w] & skip_one_[w];
      const Word two = states[w] & skip_two_[w];
      const Word more = states[w] | one << 1 | two << 2 | carry;
      carry = one >> 63 | two >> 62;
      changed = changed || more != states[w];
      states[w] = more;
    }
  }
}

bool Glob::matches(std::string_view text) const {
  if (text.size() < shortest_) return false;
  // At most three tokens that can match nothing stand between two that match a byte.
  constexpr std::size_t kMostWords = 4 * (kLongestPath + 2) / 64 + 1;
  Word states[kMostWords];
  std::fill_n(states, words_, 0);
  states[0] = 1;
  close(states);
  for (const char c : text) {
    const Word* goes =
        step_.data() + std::size_t{class_of_[static_cast<unsigned char>(c)]} * 2 * words_;
    const Word* stays = goes + words_;
    Word carry = 0;
    Word any = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      const Word moved = states[w] & goes[w];
      states[w] = (moved << 1) | carry | (states[w] & stays[w]);
      carry = moved >> 63;
      any |= states[w];
    }
    if (any == 0) return false;
    close(states);
  }
  return (states[final_ / 64] >> (final_ % 64) & 1) != 0;
}

std::optional<IgnorePattern> IgnorePattern::parse(std::string_view line) {
  line = line.substr(0, line.find('\0'));
  if (line.empty() || line[0] == '#') return std::nullopt;
  // Blanks at the end do not count, unless a backslash stands before them.
  std::size_t end = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      i = std::min(i + 1, line.size() - 1);
      end = i + 1;
    } else if (line[i] != ' ') {
      end = i + 1;
    }
  }
  line = line.substr(0, end);

  IgnorePattern out;
  if (line.substr(0, 1) == "!") {
    out.includes_ = true;
    line.remove_prefix(1);
  }
  if (!line.empty() && line.back() == '/') {
    out.folders_only_ = true;
    line.remove_suffix(1);
  }
  const bool by_path = line.find('/') != std::string_view::npos;
  if (by_path && line[0] == '/') line.remove_prefix(1);
  if (line.empty()) return std::nullopt;

  if (!has_special(line)) {
    out.shape_ = by_path ? Shape::kPath : Shape::kName;
    out.literal_ = line;
  } else if (!by_path && line[0] == '*' && !has_special(line.substr(1))) {
    out.shape_ = Shape::kNameEnd;
    out.literal_ = line.substr(1);
  } else {
    out.shape_ = by_path ? Shape::kPathGlob : Shape::kNameGlob;
    if (by_path) {
      // git compares what comes before the first wildcard by itself and sees only the rest as a
      // pattern, so in "a**/b" the stars stand at the beginning.
      const auto special = std::find_if(line.begin(), line.end(), is_special);
      out.literal_ = std::string(line.begin(), special);
      line.remove_prefix(out.literal_.size());
    }
    out.glob_ = Glob::compile(line);
    if (!out.glob_) return std::nullopt;
    out.last_bytes_ = out.glob_->last_bytes();
    return out;
  }
  if (out.literal_.empty()) {
    out.last_bytes_.set();
  } else {
    out.last_bytes_.set(static_cast<unsigned char>(out.literal_.back()));
  }
  return out;
}

bool IgnorePattern::matches(std::string_view path, std::string_view name, bool folder) const {
  if (folders_only_ && !folder) return false;
  switch (shape_) {
    case Shape::kName:
      return name == literal_;
    case Shape::kNameEnd:
      return name.ends_with(literal_);
    case Shape::kNameGlob:
      return glob_->matches(name);
    case Shape::kPath:
      return path == literal_;
    case Shape::kPathGlob:
      return path.starts_with(literal_) && glob_->matches(path.substr(literal_.size()));
  }
  return false;
}

}  // namespace roost
