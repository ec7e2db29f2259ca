#include "finalize/check_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/spool_record.h"
#include "records/spool_records.h"

namespace roost {
namespace {

Status check_shipped(const std::string& name, std::uint64_t have, std::uint64_t length) {
  if (have >= length) return {};
  return fail(ErrorCode::kDataMismatch,
              fmt::format("{} has {} bytes here, {} there; send the rest", printable(name), have, length));
}

Status check_logs(const FinalizeParts& finalize, const AttemptName& attempt, const FinishReport& report) {
  for (const auto& [name, length] : report.streams) {
    if (is_spool_name(name)) continue;
    ROOST_CHECK(check_shipped(name, finalize.logs.size(attempt, name), length));
  }
  return {};
}

}  // namespace

std::vector<std::string> digests_of(const std::vector<OutputFile>& outputs) {
  std::vector<std::string> digests;
  for (const auto& output : outputs) digests.push_back(output.digest);
  return digests;
}

Status check_spools(Tx& tx, const Run& run, const FinishReport& report) {
  for (const auto& [name, length] : report.streams) {
    if (!is_spool_name(name)) continue;
    ROOST_TRY(const std::uint64_t have, spool_length(tx, run, name));
    ROOST_CHECK(check_shipped(name, have, length));
  }
  return {};
}

Status check_outputs(const FinalizeParts& finalize, const std::vector<OutputFile>& outputs) {
  for (const auto& output : outputs) {
    const auto size = finalize.blobs.size(output.digest);
    if (!size || *size != output.size) {
      if (size) finalize.blobs.verify(output.digest);  // if it is damaged, it is missing from now on
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the output {} was not uploaded whole", printable(output.path)));
    }
  }
  return {};
}

Result<BlobStore::Hold> check_report(const FinalizeParts& finalize, const AttemptName& attempt,
                                     const FinishReport& report) {
  // What is to be synced is that of an attempt that is open; where there is nothing, the write sees to it.
  const bool left_nothing = report.outputs.empty() && std::all_of(report.streams.begin(), report.streams.end(),
                                                                  [](const auto& stream) { return stream.second == 0; });
  if (!left_nothing) {
    ROOST_CHECK(finalize.db.read([&](Tx& tx) -> Status {
      ROOST_CHECK(find_open_run(tx, attempt));
      return {};
    }));
  }
  ROOST_CHECK(finalize.logs.sync(attempt));
  ROOST_CHECK(check_logs(finalize, attempt, report));
  ROOST_CHECK(finalize.blobs.sync(digests_of(report.outputs)));
  auto hold = finalize.blobs.hold();
  ROOST_CHECK(check_outputs(finalize, report.outputs));
  return hold;
}

}  // namespace roost
