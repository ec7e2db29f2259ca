#include "observe/take_streams.h"

#include <fmt/format.h>

#include "base/frames.h"
#include "domain/names.h"
#include "domain/rank_plan.h"
#include "domain/spool_record.h"
#include "observe/metric_store.h"
#include "records/run_records.h"

namespace roost {
namespace {

constexpr std::size_t kMaxFrame = 32 << 20;

bool is_spool(const StreamPiece& piece) { return is_spool_name(piece.stream); }

void take_log(LogStore& logs, const Clock& clock, const AttemptName& attempt, const StreamPiece& piece,
              TakenStreams& taken) {
  // Only where there are several ranks are their logs shown together.
  std::optional<Micros> at;
  if (piece.stream != kDriverLog && rank_of_log(piece.stream) >= 0) at = clock.now();
  const auto length = logs.append(attempt.run, attempt.attempt, piece.stream, piece.offset, piece.bytes, at);
  if (length) {
    taken.lengths[piece.stream] = *length;
    taken.log_bytes += static_cast<std::int64_t>(piece.bytes.size());
  } else if (length.error().code == ErrorCode::kInvalidArgument) {
    taken.refused[piece.stream] = length.error().message;
  } else {
    taken.failed[piece.stream] = length.error().message;
    if (!taken.first_failure) taken.first_failure = length.error();
  }
}

Status take_spools(Tx& tx, const AttemptName& attempt, const std::vector<StreamPiece>& pieces, TakenStreams& taken) {
  taken.points = 0;
  ROOST_TRY(Run run, find_open_run(tx, attempt));
  for (const auto& piece : pieces) {
    if (!is_spool(piece)) continue;
    ROOST_TRY(const Ingested read, ingest_spool(tx, run, attempt.attempt, piece.stream, piece.offset, piece.bytes));
    taken.lengths[piece.stream] = read.length;
    taken.points += read.points;
    if (read.bad_lines > 0) {
      ROOST_CHECK(add_notice(tx, run, fmt::format("{} spool line(s) were skipped: {}", read.bad_lines, read.first_bad)));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<StreamPiece>> parse_stream_pieces(std::string_view body) {
  std::vector<StreamPiece> pieces;
  ROOST_CHECK(each_frame(body, kMaxFrame, [&](const FrameView& frame) -> Status {
    JsonFields fields(frame.header, "a frame");
    StreamPiece piece;
    piece.stream = fields.required_string("stream");
    piece.offset = static_cast<std::uint64_t>(fields.integer("offset", 0, 0, INT64_MAX / 2));
    fields.integer("length", 0, 0, INT64_MAX);
    ROOST_CHECK(fields.done());
    ROOST_CHECK(check_artifact_path(piece.stream));
    piece.bytes = frame.payload;
    pieces.push_back(std::move(piece));
    return {};
  }));
  return pieces;
}

Result<TakenStreams> take_streams(Database& db, LogStore& logs, const Clock& clock, const AttemptName& attempt,
                                  const std::vector<StreamPiece>& pieces) {
  ROOST_CHECK(db.read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_open_run(tx, attempt));
    return {};
  }));
  TakenStreams taken;
  bool has_spool = false;
  for (const auto& piece : pieces) {
    if (is_spool(piece)) {
      has_spool = true;
    } else {
      take_log(logs, clock, attempt, piece, taken);
    }
  }
  if (has_spool) ROOST_CHECK(db.write([&](Tx& tx) { return take_spools(tx, attempt, pieces, taken); }));
  if (taken.lengths.empty() && taken.first_failure) return fail(*taken.first_failure);
  return taken;
}

}  // namespace roost
