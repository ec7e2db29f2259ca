#include "domain/finish_report.h"

#include "base/digest.h"
#include "base/text.h"
#include "domain/names.h"

namespace roost {
namespace {

constexpr std::int64_t kMostOutputs = 1'000'000;
constexpr std::size_t kMostNotices = 50;
constexpr std::size_t kLongestNotice = 1000;

Result<RankEnd> parse_rank(const Json& item) {
  JsonFields fields(item, "a rank");
  RankEnd rank;
  rank.rank = static_cast<int>(fields.integer("rank", 0, 0, INT32_MAX));
  rank.local_rank = static_cast<int>(fields.integer("local_rank", 0, 0, INT32_MAX));
  if (fields.has("exit_code")) rank.exit_code = fields.integer("exit_code", 0, 0, 255);
  if (fields.has("signal")) rank.signal = fields.integer("signal", 0, 1, 64);
  rank.ended = fields.integer("ended_at_us", 0, 0, INT64_MAX / 2);
  rank.stopped = fields.boolean("stopped", false);
  rank.out_of_memory = fields.boolean("out_of_memory", false);
  fields.string("role");
  ROOST_CHECK(fields.done());
  return rank;
}

}  // namespace

Result<std::vector<OutputFile>> parse_output_files(const Json& list) {
  std::vector<OutputFile> files;
  for (const auto& item : list) {
    JsonFields file(item, "an output");
    OutputFile output;
    output.path = file.required_string("path");
    output.digest = file.required_string("digest");
    output.size = static_cast<std::uint64_t>(file.integer("size", 0, 0, INT64_MAX));
    ROOST_CHECK(file.done());
    ROOST_CHECK(check_artifact_path(output.path));
    if (!is_digest(output.digest)) {
      return fail(ErrorCode::kInvalidArgument, "an output's digest must be 64 hex digits");
    }
    files.push_back(std::move(output));
  }
  return files;
}

Result<FinishReport> parse_finish_report(const Json& body) {
  JsonFields fields(body, "the report");
  FinishReport report;
  report.outcome = fields.required_string("outcome");
  report.message = fields.string("message");
  report.node_rank = static_cast<int>(fields.integer("node_rank", 0, 0, INT32_MAX));
  report.exited = fields.integer("exited_at_us", 0, 0, INT64_MAX / 2);
  if (fields.has("started_ago_us")) report.started_ago = fields.integer("started_ago_us", 0, 0, INT64_MAX / 2);
  if (fields.has("exited_ago_us")) report.exited_ago = fields.integer("exited_ago_us", 0, 0, INT64_MAX / 2);
  const Json ranks = fields.array("ranks");
  const Json outputs = fields.array("outputs");
  const Json streams = fields.object("streams");
  report.notices = fields.strings("notices");
  report.gone = fields.strings("gone");
  ROOST_CHECK(fields.done());
  for (const auto& item : ranks) {
    ROOST_TRY(RankEnd rank, parse_rank(item));
    report.ranks.push_back(std::move(rank));
  }
  ROOST_TRY(report.outputs, parse_output_files(outputs));
  for (const auto& path : report.gone) ROOST_CHECK(check_artifact_path(path));
  if (report.notices.size() > kMostNotices) {
    report.notices.resize(kMostNotices);
    report.notices.emplace_back("and more like these");
  }
  for (auto& notice : report.notices) notice = to_utf8(std::string_view(notice).substr(0, kLongestNotice));
  if (report.outputs.size() > kMostOutputs) {
    return fail(ErrorCode::kTooLarge, "a run has at most 1,000,000 output files");
  }
  for (const auto& item : streams.items()) {
    if (!item.value().is_number_unsigned()) {
      return fail(ErrorCode::kInvalidArgument, "\"streams\" in the report must map names to lengths");
    }
    ROOST_CHECK(check_artifact_path(item.key()));
    report.streams[item.key()] = item.value().get<std::uint64_t>();
  }
  return report;
}

Json report_json(const FinishReport& report) {
  Json ranks = Json::array();
  for (const auto& rank : report.ranks) {
    ranks.push_back({{"rank", rank.rank},
                     {"local_rank", rank.local_rank},
                     {"exit_code", or_null(rank.exit_code)},
                     {"signal", or_null(rank.signal)},
                     {"ended_at_us", rank.ended},
                     {"stopped", rank.stopped},
                     {"out_of_memory", rank.out_of_memory}});
  }
  return {{"outcome", report.outcome}, {"message", report.message}, {"exited_at_us", report.exited}, {"ranks", ranks}};
}

FinishReport stored_report(const Json& json) {
  FinishReport report;
  report.outcome = text_at(json, "outcome");
  report.message = text_at(json, "message");
  report.exited = integer_at(json, "exited_at_us");
  for (const auto& item : array_at(json, "ranks")) {
    if (auto rank = parse_rank(item)) report.ranks.push_back(std::move(*rank));
  }
  return report;
}

void hold_outputs(const FinishReport& report, Json& part_report) {
  Json files = Json::array();
  for (const auto& file : report.outputs) files.push_back({{"path", file.path}, {"digest", file.digest}, {"size", file.size}});
  part_report["outputs"] = std::move(files);
  part_report["gone"] = report.gone;
}

Result<FinishReport> held_outputs(const Json& part_report, int node_rank) {
  FinishReport report;
  report.node_rank = node_rank;
  if (const auto files = part_report.find("outputs"); files != part_report.end()) {
    ROOST_TRY(report.outputs, parse_output_files(*files));
  }
  if (const auto gone = part_report.find("gone"); gone != part_report.end()) {
    for (const auto& path : *gone) report.gone.push_back(path.get<std::string>());
  }
  return report;
}

}  // namespace roost
