#include "records/run_names.h"

#include <cstring>

#include "base/text.h"

namespace roost {

Status RunNames::read(Tx& tx, const std::string& workspace) {
  if (!entries_.empty()) return {};
  Rows rows = tx.query("SELECT seq, display_name, id FROM run INDEXED BY run_by_workspace WHERE workspace = ?", workspace);
  std::string folded;
  while (rows.next()) {
    Entry entry{rows.integer(0), text_.size(), 0, 0};
    fold_case(rows.bytes(1), folded);
    text_ += folded;
    text_ += '\n';
    entry.name_size = folded.size();
    fold_case(rows.bytes(2), folded);
    text_ += folded;
    entry.size = text_.size() - entry.begin;
    text_ += '\n';
    entries_.push_back(entry);
  }
  return rows.status();
}

void RunNames::find(const std::string& text, RunSet& set) const {
  if (text.empty() || text.find('\n') != std::string::npos) return;
  const char* const end = text_.data() + text_.size();
  auto entry = entries_.begin();
  for (const char* from = text_.data(); from < end;) {
    const auto* hit = static_cast<const char*>(memmem(from, static_cast<std::size_t>(end - from), text.data(), text.size()));
    if (hit == nullptr) return;
    const auto at = static_cast<std::size_t>(hit - text_.data());
    while (entry->begin + entry->size < at) ++entry;
    set.add(entry->row);
    from = text_.data() + entry->begin + entry->size;
  }
}

}  // namespace roost
