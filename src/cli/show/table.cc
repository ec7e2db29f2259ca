#include "cli/show/table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "cli/show/run_text.h"
#include "cli/show/text_width.h"

namespace roost {
namespace {

constexpr int kGap = 2;
constexpr int kLeast = 5;  // columns that a shrunk column keeps

int total_width(const std::vector<int>& widths) {
  int sum = std::accumulate(widths.begin(), widths.end(), 0);
  for (const int width : widths) sum += width > 0 ? kGap : 0;
  return sum - kGap;
}

}  // namespace

void TextTable::add(std::vector<Cell> cells) {
  cells.resize(columns_.size(), Cell(""));
  for (Cell& cell : cells) cell.text = one_line(cell.text);
  rows_.push_back(std::move(cells));
}

std::vector<int> TextTable::natural_widths() const {
  std::vector<int> widths(columns_.size(), 0);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    for (const auto& row : rows_) widths[c] = std::max(widths[c], text_width(row[c].text));
    if (widths[c] > 0) widths[c] = std::max(widths[c], text_width(columns_[c].title));
  }
  return widths;
}

std::vector<int> TextTable::column_widths(int width) const {
  std::vector<int> widths = natural_widths();
  if (width <= 0) return widths;
  // The widest gives up one column at a time, first of those that may: ids and states are for reading whole.
  const auto shrink = [&](bool all) {
    for (int excess = total_width(widths) - width; excess > 0; --excess) {
      std::size_t widest = columns_.size();
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if ((!columns_[c].may_shrink && !all) || widths[c] <= kLeast) continue;
        if (widest == columns_.size() || widths[c] > widths[widest]) widest = c;
      }
      if (widest == columns_.size()) break;
      --widths[widest];
    }
  };
  shrink(false);
  for (std::size_t c = columns_.size(); c-- > 0 && total_width(widths) > width;) {
    if (columns_[c].may_shrink) widths[c] = 0;
  }
  shrink(true);
  return widths;
}

// Of two that would look the same both stay whole.
TextTable TextTable::with_short_ids() const {
  TextTable table = *this;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].run_ids) continue;
    std::map<std::string, std::set<std::string>> meant;
    for (const auto& row : rows_) meant[short_run_id(row[c].text)].insert(row[c].text);
    for (auto& row : table.rows_) {
      const std::string brief = short_run_id(row[c].text);
      if (meant[brief].size() == 1) row[c].text = brief;
    }
  }
  return table;
}

std::string TextTable::text(const Style& style, int width) const {
  const bool has_ids = std::any_of(columns_.begin(), columns_.end(), [](const Column& column) { return column.run_ids; });
  if (has_ids && width > 0 && total_width(natural_widths()) > width) {
    TextTable brief = with_short_ids();
    for (Column& column : brief.columns_) column.run_ids = false;
    return brief.text(style, width);
  }
  const std::vector<int> widths = column_widths(width);
  std::string out;
  const auto append_row = [&](const std::vector<Cell>& cells) {
    std::string line;
    int blanks = 0;  // owed to the line, paid when something follows, so no line ends in blanks
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (widths[c] == 0) continue;
      const std::string text = clip_text(cells[c].text, widths[c]);
      const int missing = widths[c] - text_width(text);
      if (columns_[c].right_align) blanks += missing;
      if (!text.empty()) {
        line += std::string(static_cast<std::size_t>(blanks), ' ') + style(cells[c].tone, text);
        blanks = 0;
      }
      blanks += kGap + (columns_[c].right_align ? 0 : missing);
    }
    out += line + "\n";
  };
  std::vector<Cell> titles;
  for (const Column& column : columns_) titles.emplace_back(column.title, Tone::kDim);
  if (std::any_of(columns_.begin(), columns_.end(),
                  [](const Column& c) { return !c.title.empty(); })) {
    append_row(titles);
  }
  for (const auto& row : rows_) append_row(row);
  return out;
}

}  // namespace roost
