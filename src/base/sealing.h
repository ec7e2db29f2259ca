#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace roost {

// Seals small texts with AES-256-GCM for places that others may come to read: the database, its copies and backups. The
// keys are in a file of their own. The first one in it seals, each of them opens what it sealed, so that a key is changed
// by putting another before it. Thread-safe.
class Sealer {
 public:
  // Reads the file, or makes it with one key (mode 0600). Refuses a file that it cannot read for what it is.
  static Result<Sealer> open_or_make(const std::filesystem::path& file);

  // Printable text that begins with kSealedPrefix. `place` says what it is for, and is needed to open it again: what was
  // sealed as one thing is not opened as another.
  std::string seal(std::string_view text, std::string_view place) const;
  // kFailedPrecondition if its key is not in the file, kDataMismatch if it was changed or is for another place.
  Result<std::string> open(std::string_view sealed, std::string_view place) const;
  // Whether it was sealed with the first key.
  bool is_newest(std::string_view sealed) const;

 private:
  struct Key {
    std::string id;  // 8 hex digits
    std::string bytes;
  };
  Sealer(std::vector<Key> keys, std::string file) : keys_(std::move(keys)), file_(std::move(file)) {}

  std::vector<Key> keys_;
  std::string file_;
};

inline constexpr std::string_view kSealedPrefix = "roost-sealed:";
inline bool is_sealed(std::string_view text) { return text.starts_with(kSealedPrefix); }

}  // namespace roost
