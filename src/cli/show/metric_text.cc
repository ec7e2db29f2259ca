#include "cli/show/metric_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/show/fact_list.h"
#include "cli/show/run_text.h"
#include "cli/show/text_width.h"

namespace roost {
namespace {

constexpr std::size_t kMostRows = 40;

std::string more_rows(std::size_t count, const Style& style) {
  if (count <= kMostRows) return "";
  return style(Tone::kDim, fmt::format("... {} more; --csv gives all", count - kMostRows)) + "\n";
}

// Points of log_row: one table row each, the columns in the order they are first seen.
std::string rows_text(const Json& points, int width, const Style& style) {
  std::vector<std::string> names;
  for (const Json& point : points) {
    const Json& row = child(point, "value");
    if (!row.is_object()) continue;
    for (const auto& [name, value] : row.items()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::vector<TextTable::Column> columns;
  for (const std::string& name : names) columns.push_back({one_line(name), true, true});
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < points.size() && i < kMostRows; ++i) {
    std::vector<TextTable::Cell> cells;
    for (const std::string& name : names) {
      cells.emplace_back(metric_value_text(child(child(points[i], "value"), name.c_str())));
    }
    table.add(std::move(cells));
  }
  return table.text(style, width) + more_rows(points.size(), style);
}

// One value of log_table: column -> array, or column -> one value.
std::string columns_text(const Json& value, int width, const Style& style) {
  std::vector<TextTable::Column> columns;
  std::size_t rows = 0;
  for (const auto& [name, cells] : value.items()) {
    columns.push_back({one_line(name), true, true});
    rows = std::max(rows, cells.is_array() ? cells.size() : 1);
  }
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < rows && i < kMostRows; ++i) {
    std::vector<TextTable::Cell> row;
    for (const auto& [name, cells] : value.items()) {
      const bool has = cells.is_array() ? i < cells.size() : i == 0;
      row.emplace_back(!has ? "" : metric_value_text(cells.is_array() ? cells[i] : cells));
    }
    table.add(std::move(row));
  }
  return table.text(style, width) + more_rows(rows, style);
}

// {"data": {"class_labels": [...], "matrix": [[...]]}}, rows are the true classes.
std::string confusion_matrix_text(const Json& value, int width, const Style& style) {
  const Json& data = child(value, "data").is_object() ? child(value, "data") : value;
  const Json& labels = child(data, "class_labels");
  const Json& matrix = child(data, "matrix");
  if (!matrix.is_array()) return one_line(to_text(value)) + "\n";
  const auto label = [&](std::size_t i) {
    return labels.is_array() && i < labels.size() ? value_text(labels[i]) : fmt::format("{}", i);
  };
  std::vector<TextTable::Column> columns = {{"true \\ predicted", false, true}};
  for (std::size_t i = 0; i < matrix.size(); ++i)
    columns.push_back({one_line(label(i)), true, true});
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    std::vector<TextTable::Cell> row = {{label(i), Tone::kDim}};
    if (!matrix[i].is_array()) continue;
    for (std::size_t j = 0; j < matrix[i].size() && j < matrix.size(); ++j) {
      row.emplace_back(metric_value_text(matrix[i][j]), i == j ? Tone::kGreen : Tone::kPlain);
    }
    table.add(std::move(row));
  }
  return table.text(style, width);
}

// Any other object: what it holds, long arrays by their length.
std::string object_text(const Json& value, const Style& style) {
  const Json& data = child(value, "data").is_object() ? child(value, "data") : value;
  if (!data.is_object()) return one_line(metric_value_text(value)) + "\n";
  FactList facts;
  for (const auto& [name, part] : data.items()) {
    const std::string text = to_text(part);
    const bool is_long = part.is_array() && text.size() > 60;
    facts.add(name, is_long ? fmt::format("{} values", part.size()) : clip_text(text, 60));
  }
  return facts.text(style, 2);
}

std::string values_text(const Json& points, int width, const Style& style) {
  TextTable table({{"INDEX", true}, {"STEP", true}, {"VALUE", false, true}});
  for (std::size_t i = 0; i < points.size() && i < kMostRows; ++i) {
    table.add({text_field(points[i], "index"), text_field(points[i], "step"),
               metric_value_text(child(points[i], "value"))});
  }
  return table.text(style, width) + more_rows(points.size(), style);
}

}  // namespace

std::string metric_value_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number()) {
    return value.is_number_float() ? short_number(value.get<double>()) : to_text(value);
  }
  if (value.is_string()) return value.get<std::string>();
  return clip_text(to_text(value), 40);
}

TextTable metric_table(const Json& metrics) {
  TextTable table({{"METRIC", false, true},
                   {"KIND"},
                   {"COUNT", true},
                   {"LAST", true, true},
                   {"MIN", true},
                   {"MAX", true},
                   {"STEP", true}});
  for (const Json& metric : metrics) {
    table.add({{text_field(metric, "name"), Tone::kBold},
               {text_field(metric, "kind"), Tone::kDim},
               text_field(metric, "count"),
               metric_value_text(child(metric, "last")),
               metric_value_text(child(metric, "min")),
               metric_value_text(child(metric, "max")),
               text_field(metric, "last_step")});
  }
  return table;
}

bool has_curve(const Json& metric) {
  const std::string kind = text_field(metric, "kind");
  const Json& count = child(metric, "count");
  return (kind == "scalar" || kind == "list") && count.is_number() && count.get<double>() > 1 &&
         json_number(child(metric, "last")).has_value();
}

std::vector<PlotPoint> curve_of(const Json& series) {
  std::vector<PlotPoint> points;
  const auto x_of = [](const Json& point, const char* step, double fallback) {
    if (const Json& value = child(point, step); value.is_number()) return value.get<double>();
    if (const Json& value = child(point, "index"); value.is_number()) return value.get<double>();
    return fallback;
  };
  for (const Json& point : child(series, "points")) {
    if (const auto value = json_number(child(point, "value"))) {
      points.push_back({x_of(point, "step", static_cast<double>(points.size())), *value, *value});
    }
  }
  for (const Json& bucket : child(series, "buckets")) {
    const auto low = json_number(child(bucket, "min"));
    const auto high = json_number(child(bucket, "max"));
    if (low && high) {
      points.push_back(
          {x_of(bucket, "step_first", static_cast<double>(points.size())), *low, *high});
    }
  }
  return points;
}

std::string metric_text(const Json& series, int width, int height, const Style& style) {
  const std::string kind = text_field(series, "kind");
  const Json& points = child(series, "points");
  const std::vector<PlotPoint> curve = curve_of(series);
  if (curve.size() > 1) return plot(curve, std::max(10, width - 14), height);
  if (!points.is_array() || points.empty()) return "";
  if (kind == "row") return rows_text(points, width, style);
  std::string out;
  if (kind == "scalar" || kind == "list") return values_text(points, width, style);
  for (const Json& point : points) {
    const Json& value = child(point, "value");
    if (kind == "table" && value.is_object()) {
      out += columns_text(value, width, style);
    } else if (kind == "confusion_matrix") {
      out += confusion_matrix_text(value, width, style);
    } else if (kind == "image") {
      out += "artifact " + one_line(text_field(value, "path")) + "\n";
    } else {
      out += object_text(value, style);
    }
  }
  return out;
}

}  // namespace roost
