#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "records/run_set.h"

namespace roost {

// The display names and ids of a workspace's runs, in small letters and one after another, so that a text is looked
// for in all of them at once.
class RunNames {
 public:
  // Reads them unless they are there already.
  Status read(Tx& tx, const std::string& workspace);

  // Adds the runs whose name or id contains the text, which is in small letters too.
  void find(const std::string& text, RunSet& set) const;

  // Calls `visit(row, name, id)` for each.
  template <class Visit>
  void each(Visit visit) const {
    for (const Entry& entry : entries_) {
      const auto both = std::string_view(text_).substr(entry.begin, entry.size);
      visit(entry.row, both.substr(0, entry.name_size), both.substr(entry.name_size + 1));
    }
  }

 private:
  struct Entry {
    std::int64_t row;
    std::size_t begin;
    std::size_t name_size;
    std::size_t size;  // of both, with the end of line between them
  };
  std::string text_;  // name, end of line, id, end of line; neither has one in it
  std::vector<Entry> entries_;
};

}  // namespace roost
