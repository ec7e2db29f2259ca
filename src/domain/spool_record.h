#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"

namespace roost {

// Whether the stream of an attempt is a spool file, which has records, or a log.
inline bool is_spool_name(std::string_view stream) { return stream.starts_with("spool/"); }

// One line of a spool file (docs/spool.md): what a script reported.
struct SpoolRecord {
  std::string_view kind;  // into the line, or a literal
  std::string_view name;  // into the line or into `name_storage`
  std::string name_storage;
  bool is_number = false;
  double number = 0;  // when is_number
  std::optional<std::int64_t> whole;  // the same, if it was written as an integer
  Json value;         // otherwise
  std::optional<std::int64_t> step;
  Micros at = 0;
};

// An integer that fits; none for 1.0, which was written as another number.
std::optional<std::int64_t> whole_number(const Json& value);

// Parses a line without its newline. The record may point into `line`. The common case, a scalar
// number under a plain name, is read without building JSON.
Status parse_spool_line(std::string_view line, SpoolRecord& record);

}  // namespace roost
