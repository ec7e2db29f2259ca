#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roost {

// A wildcard pattern as git understands it, made into a bit-parallel automaton: a match costs at
// most (length of the text) x (length of the pattern) / 64 steps, whatever the pattern; nothing
// backtracks. Bytes are matched, not characters, as git does.
class Glob {
 public:
  // Nothing if no text can match (a class that is not closed, a backslash at the end).
  static std::optional<Glob> compile(std::string_view pattern);

  bool matches(std::string_view text) const;
  // The bytes a matching text can end in.
  const std::bitset<256>& last_bytes() const { return last_bytes_; }

 private:
  using Word = std::uint64_t;
  using Bytes = std::bitset<256>;
  struct Token {
    enum Kind { kBytes, kStar, kDeep, kDeepEntry, kDeepInside } kind;
    Bytes bytes{};  // kBytes only
  };
  static std::optional<std::vector<Token>> tokens_of(std::string_view pattern);
  explicit Glob(const std::vector<Token>& tokens);
  void close(Word* states) const;

  // Bit i of the states: the first i tokens have matched the text so far. For each class of bytes
  // that the pattern cannot tell apart, `step_` holds two rows of `words_` words: which states go
  // on to the next, which ones stay.
  std::size_t words_ = 0;
  std::size_t final_ = 0;
  std::size_t shortest_ = 0;  // no shorter text can match
  std::bitset<256> last_bytes_;
  std::array<std::uint8_t, 256> class_of_{};
  std::vector<Word> step_;
  std::vector<Word> skip_one_;  // states whose token may also match nothing
  std::vector<Word> skip_two_;
};

// One line of an ignore file.
class IgnorePattern {
 public:
  // Nothing for an empty line, a comment and a pattern that matches no path. Without its newline.
  static std::optional<IgnorePattern> parse(std::string_view line);

  // `path` is relative to the ignore file's folder, `name` its last part.
  bool matches(std::string_view path, std::string_view name, bool folder) const;
  bool includes() const { return includes_; }  // began with '!'
  // The bytes a matching path can end in.
  const std::bitset<256>& last_bytes() const { return last_bytes_; }

 private:
  // Compares the name, or the path when the pattern has a slash: whole, its end, or (after a
  // literal beginning) by wildcards.
  enum class Shape { kName, kNameEnd, kNameGlob, kPath, kPathGlob };

  Shape shape_ = Shape::kName;
  bool includes_ = false;
  bool folders_only_ = false;
  std::bitset<256> last_bytes_;
  std::string literal_;
  std::optional<Glob> glob_;
};

}  // namespace roost
