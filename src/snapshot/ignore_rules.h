#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/ignore_pattern.h"

namespace roost {

// The patterns of one ignore file, in gitignore syntax. Immutable, so any thread may ask.
class IgnoreFile {
 public:
  explicit IgnoreFile(std::string_view text);

  enum class Verdict { kNone, kExclude, kInclude };
  // What the last matching pattern says. `path` is relative to the file's folder.
  Verdict judge(std::string_view path, bool folder) const;

 private:
  std::vector<IgnorePattern> patterns_;
  // By the last byte of a path: the patterns that can match it, last one first. Most patterns end
  // in something literal (".pyc", "build"), so few are tried. The first list is for bytes none ends
  // in.
  std::vector<std::vector<std::uint32_t>> candidates_;
  std::array<std::uint16_t, 256> list_for_{};
};

// The ignore files that count in a folder: its own and those of the folders above, up to the root
// of the tree. The lower one decides where both have a matching pattern. Immutable.
class IgnoreScope {
 public:
  using Ptr = std::shared_ptr<const IgnoreScope>;  // folders walked by several threads share theirs

  // `folder` is relative to the root, "" or "a/b/"; `above` may be null.
  IgnoreScope(Ptr above, std::string folder, std::string_view text)
      : above_(std::move(above)), folder_(std::move(folder)), file_(text) {}

 private:
  friend bool is_ignored(const IgnoreScope* scope, std::string_view path, bool folder);

  Ptr above_;
  std::string folder_;
  IgnoreFile file_;
};

// Whether a snapshot leaves out `path` (relative to the root), which lies in the folder of `scope`
// or below it; null when no ignore file counts there. A folder that is left out is not entered,
// which is why nothing in it can be taken in again: ask for the folders above first. ".git" is
// always left out.
bool is_ignored(const IgnoreScope* scope, std::string_view path, bool folder);

inline constexpr std::string_view kAmlIgnore = ".amlignore";
inline constexpr std::string_view kGitIgnore = ".gitignore";

}  // namespace roost
