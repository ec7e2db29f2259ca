#include "records/submission_records.h"

#include <algorithm>

#include <fmt/format.h>

namespace roost {
namespace {

constexpr Micros kKept = 24 * 3600 * kSecond;
constexpr std::int64_t kMostKept = 200'000;

}  // namespace

Status check_submission_key(std::string_view key) {
  const bool printable = std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (!key.empty() && key.size() <= 200 && printable) return {};
  return fail(ErrorCode::kInvalidArgument, "Idempotency-Key must be 1 to 200 printable ASCII characters without spaces");
}

Result<std::optional<std::string>> find_submission(Tx& tx, const SubmissionKey& submission, Micros now) {
  Rows rows = tx.query(
      "SELECT content, run FROM submission WHERE workspace = ? AND caller = ? AND key = ? AND created > ?",
      submission.workspace, submission.caller, submission.key, now - kKept);
  if (!rows.next()) {
    ROOST_CHECK(rows.status());
    return std::nullopt;
  }
  if (rows.text(0) != submission.content) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("this Idempotency-Key was used for another submit, which made the run {}; use a new key for "
                            "each submit",
                            rows.text(1)));
  }
  return rows.text(1);
}

Status insert_submission(Tx& tx, const SubmissionKey& submission, const Run& run, Micros now) {
  ROOST_CHECK(tx.run("DELETE FROM submission WHERE created <= ?", now - kKept));
  ROOST_CHECK(tx.run("INSERT INTO submission (workspace, caller, key, content, run, created) VALUES (?, ?, ?, ?, ?, ?)",
                     submission.workspace, submission.caller, submission.key, submission.content, run.id, now));
  ROOST_CHECK(tx.run("DELETE FROM submission WHERE seq <= ?", tx.last_insert_id() - kMostKept));
  return {};
}

}  // namespace roost
