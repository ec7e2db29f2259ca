#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"
#include "observe/log_store.h"
#include "records/attempt_records.h"

namespace roost {

// A piece of a stream of an attempt and where it starts.
struct StreamPiece {
  std::string stream;
  std::uint64_t offset = 0;
  std::string_view bytes;
};
// From the frames of a request's body, which must outlive them.
Result<std::vector<StreamPiece>> parse_stream_pieces(std::string_view body);

struct TakenStreams {
  Json lengths = Json::object();  // how far each stream is now
  Json refused = Json::object();  // streams whose names stand in the way of one another, with the reason
  Json failed = Json::object();   // those that could not be kept just now
  std::optional<Error> first_failure;
  std::int64_t log_bytes = 0;
  std::int64_t points = 0;
};
// Logs go to the store and spools to the records. Taken only while the attempt is open. What was received before is
// skipped. A stream that cannot be kept just now does not hold up the others; an error only if none could be kept.
Result<TakenStreams> take_streams(Database& db, LogStore& logs, const Clock& clock, const AttemptName& attempt,
                                  const std::vector<StreamPiece>& pieces);

}  // namespace roost
