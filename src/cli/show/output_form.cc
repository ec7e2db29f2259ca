#include "cli/show/output_form.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/csv.h"
#include "cli/show/run_text.h"

namespace roost {
namespace {

// What a person looks for first; all other columns follow by name.
constexpr std::string_view kFirst[] = {"id", "name", "version", "path", "experiment", "display_name", "status"};

std::vector<const Json*> items_of(const Json& document) {
  const Json* list = &document;
  if (document.is_object()) {
    for (const char* name : {"items", "sweeps"}) {
      if (const Json& items = child(document, name); items.is_array()) list = &items;
    }
  }
  if (!list->is_array()) return {&document};
  std::vector<const Json*> items;
  for (const Json& item : *list) items.push_back(&item);
  return items;
}

using Row = std::map<std::string, std::string>;

void flatten(const std::string& name, const Json& value, Row& row) {
  if (!value.is_object() || value.empty()) {
    row[name] = value.is_object() ? "" : value_text(value);
    return;
  }
  for (const auto& [key, one] : value.items()) flatten(name.empty() ? key : name + "." + key, one, row);
}

std::size_t rank_of(const std::string& column) {
  return static_cast<std::size_t>(std::find(std::begin(kFirst), std::end(kFirst), column) - std::begin(kFirst));
}

std::string csv_of(const Json& document) {
  std::vector<Row> rows;
  std::vector<std::string> columns;
  for (const Json* item : items_of(document)) {
    Row row;
    flatten(item->is_object() ? "" : "value", *item, row);
    for (const auto& [name, value] : row) {
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    }
    rows.push_back(std::move(row));
  }
  // What is an empty object in one row and has fields in another is those fields.
  std::erase_if(columns, [&](const std::string& column) {
    return std::any_of(columns.begin(), columns.end(), [&](const std::string& other) { return other.starts_with(column + "."); });
  });
  std::sort(columns.begin(), columns.end(), [](const std::string& a, const std::string& b) {
    return std::pair(rank_of(a), a) < std::pair(rank_of(b), b);
  });
  if (columns.empty()) return "";
  std::string text = csv_line(columns);
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& column : columns) cells.push_back(row.contains(column) ? row.at(column) : "");
    text += csv_line(cells);
  }
  return text;
}

const Json& at_path(const Json& document, std::string_view path) {
  const Json* value = &document;
  while (!path.empty() && value->is_object()) {
    // A name may have dots in it, as metrics and tags do: the whole rest is tried first.
    if (const auto whole = value->find(std::string(path)); whole != value->end()) return *whole;
    const auto dot = path.find('.');
    value = &child(*value, std::string(path.substr(0, dot)).c_str());
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  static const Json nothing;
  return path.empty() ? *value : nothing;
}

std::string fill_in(std::string_view pattern, const Json& item) {
  std::string text;
  while (!pattern.empty()) {
    if (pattern.starts_with("{{")) {
      const auto end = pattern.find("}}");
      std::string_view path = trim(pattern.substr(2, end - 2));
      if (path.starts_with('.')) path.remove_prefix(1);
      text += path.empty() ? to_text(item) : value_text(at_path(item, path));
      pattern.remove_prefix(end + 2);
    } else if (pattern.starts_with("\\n") || pattern.starts_with("\\t")) {
      text += pattern[1] == 'n' ? '\n' : '\t';
      pattern.remove_prefix(2);
    } else {
      text += pattern.front();
      pattern.remove_prefix(1);
    }
  }
  return text + "\n";
}

}  // namespace

namespace {

bool is_closed(std::string_view pattern) {
  for (auto open = pattern.find("{{"); open != std::string_view::npos; open = pattern.find("{{", open)) {
    open = pattern.find("}}", open);
    if (open == std::string_view::npos) return false;
  }
  return true;
}

}  // namespace

Result<OutputForm> parse_output_form(std::string_view text) {
  constexpr std::string_view kPrefix = "template=";
  if (text.empty()) return OutputForm{};
  if (text == "json") return OutputForm{OutputForm::kJson, ""};
  if (text == "csv") return OutputForm{OutputForm::kCsv, ""};
  if (text.starts_with(kPrefix) && text.size() > kPrefix.size()) {
    if (!is_closed(text)) {
      return fail(ErrorCode::kInvalidArgument, "the template has {{ without }}; a field is written like {{.id}}");
    }
    return OutputForm{OutputForm::kTemplate, std::string(text.substr(kPrefix.size()))};
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("--output \"{}\" is no form; there is json, csv and template='{{{{.id}}}} {{{{.status}}}}'", printable(text)));
}

std::string output_text(const OutputForm& form, const Json& document) {
  if (form.kind == OutputForm::kCsv) return csv_of(document);
  if (form.kind != OutputForm::kTemplate) {
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  std::string text;
  for (const Json* item : items_of(document)) {
    text += fill_in(form.pattern, *item);
  }
  return text;
}

}  // namespace roost
