#include "domain/run_column.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::pair<std::string_view, RunColumn::Kind> kFields[] = {
    {"created", RunColumn::kCreated},   {"started", RunColumn::kStarted},       {"ended", RunColumn::kEnded},
    {"duration", RunColumn::kDuration}, {"name", RunColumn::kName},             {"number", RunColumn::kNumber},
    {"status", RunColumn::kStatus},     {"experiment", RunColumn::kExperiment}, {"compute", RunColumn::kCompute},
    {"user", RunColumn::kUser}};
constexpr std::pair<std::string_view, RunColumn::Kind> kPrefixes[] = {
    {"metrics.", RunColumn::kMetric}, {"params.", RunColumn::kParam}, {"tags.", RunColumn::kTag}};

}  // namespace

Result<RunColumn> parse_run_column(std::string_view text) {
  for (const auto& [name, kind] : kFields) {
    if (text == name) return RunColumn{kind, ""};
  }
  for (const auto& [prefix, kind] : kPrefixes) {
    if (text.starts_with(prefix) && text.size() > prefix.size() && is_utf8(text)) {
      return RunColumn{kind, std::string(text.substr(prefix.size()))};
    }
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("there is no column \"{}\"; they are created, started, ended, duration, name, number, "
                          "experiment, status, compute, user, metrics.NAME, params.NAME and tags.NAME",
                          printable(text)));
}

Result<RunOrder> parse_run_order(std::string_view text) {
  RunOrder order;
  order.descending = text.starts_with('-');
  ROOST_TRY(order.column, parse_run_column(order.descending ? text.substr(1) : text));
  return order;
}

}  // namespace roost
