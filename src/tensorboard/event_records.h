#pragma once

#include <cstdint>
#include <string_view>

namespace roost {

// What stands at the beginning of some bytes of an event file, which is a sequence of TFRecords: length (8 bytes), its
// CRC, the data, its CRC.
struct EventRecord {
  enum class Kind {
    kWhole,    // `data`
    kPartial,  // the rest is not there yet: `size` bytes are needed to say more
    kCorrupt,  // `size` bytes to pass over
    kHuge,     // larger than anybody needs: `size` bytes to pass over, more of them than are here
  };
  Kind kind = Kind::kPartial;
  std::uint64_t size = 0;  // of all of it
  std::string_view data;
};

inline constexpr std::uint64_t kLongestEvent = 64 << 20;

// After bytes that are no record the next one is looked for: a length whose CRC is right. A head of NULs has not been
// written yet.
EventRecord next_event_record(std::string_view bytes);

}  // namespace roost
