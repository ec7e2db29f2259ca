#pragma once

#include <string>
#include <vector>

#include "cli/show/style.h"

namespace roost {

// Columns of text lined up for a terminal, two blanks apart, under dim titles.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool right_align = false;
    bool may_shrink = false;  // gives up width when the terminal is too narrow, in the end all of it
    bool run_ids = false;     // ids of runs, which are short where the whole ones do not fit
  };
  struct Cell {
    Cell(std::string content, Tone colour = Tone::kPlain)
        : text(std::move(content)), tone(colour) {}
    Cell(const char* content) : text(content) {}
    std::string text;  // control characters are shown as \xNN
    Tone tone = Tone::kPlain;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }

  // `width` 0 does not clip. Columns whose cells are all empty are left out. No line is longer than the terminal: ids of runs
  // become short ones, columns that may shrink do so, those that are nothing then go from the right, and in the end all shrink.
  std::string text(const Style& style, int width) const;

 private:
  std::vector<int> natural_widths() const;
  std::vector<int> column_widths(int width) const;
  TextTable with_short_ids() const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace roost
