#include "finalize/keep_outputs.h"

#include "base/digest.h"
#include "domain/names.h"
#include "records/artifact_records.h"

namespace roost {

Result<KeepReport> parse_keep_report(const Json& body) {
  JsonFields fields(body, "the report");
  KeepReport report;
  report.node_rank = static_cast<int>(fields.integer("node_rank", 0, 0, INT32_MAX));
  report.ago = fields.integer("looked_ms_ago", 0, 0, INT32_MAX) * 1000;
  report.ended = fields.boolean("ended", false);
  const Json folders = fields.array("folders");
  ROOST_CHECK(fields.done());
  for (const auto& item : folders) {
    JsonFields each(item, "a folder");
    FolderReport folder;
    folder.folder = each.required_string("folder");
    folder.rest = each.integer("rest_ms", 0, 0, INT32_MAX) * 1000;
    folder.settled = each.boolean("settled", false);
    folder.gone = each.strings("gone");
    const Json files = each.array("files");
    ROOST_CHECK(each.done());
    ROOST_TRY(folder.files, parse_output_files(files));
    for (const auto& path : folder.gone) ROOST_CHECK(check_artifact_path(path));
    report.folders.push_back(std::move(folder));
  }
  return report;
}

std::vector<OutputSet> KeptOutputs::look(const std::string& run, std::int64_t attempt, int nodes, const KeepReport& report,
                                         Micros now) {
  const std::lock_guard lock(mutex_);
  auto& sets = attempts_.try_emplace({run, attempt}, nodes).first->second;
  return sets.look(report.node_rank, report.folders, report.ended, now - report.ago);
}

std::vector<std::string> KeptOutputs::sets_of(const std::string& run, std::int64_t attempt, const KeepReport& report) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  const auto found = attempts_.find({run, attempt});
  for (const auto& folder : report.folders) {
    if (found != attempts_.end() && found->second.is_set(folder.folder)) names.push_back(folder.folder);
  }
  return names;
}

void KeptOutputs::forget(const std::string& run, std::int64_t attempt) {
  const std::lock_guard lock(mutex_);
  attempts_.erase({run, attempt});
}

Status record_set(Tx& tx, const Run& run, const OutputSet& set, Micros now) {
  for (const auto& file : set.files) ROOST_CHECK(put_artifact(tx, run.seq, file, now));
  for (const auto& path : set.gone) ROOST_CHECK(remove_artifact(tx, run.seq, path));
  return {};
}

}  // namespace roost
