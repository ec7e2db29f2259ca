#include "cli/show/fact_list.h"

#include <algorithm>

#include "cli/show/text_width.h"

namespace roost {

void FactList::add(const std::string& name, const std::string& value) {
  if (!value.empty()) facts_.emplace_back(one_line(name), one_line(value));
}

std::string FactList::text(const Style& style, int indent) const {
  int width = 0;
  for (const auto& fact : facts_) width = std::max(width, text_width(fact.first));
  std::string out;
  for (const auto& [name, value] : facts_) {
    out += std::string(static_cast<std::size_t>(indent), ' ') +
           style(Tone::kDim, pad_text(name, width)) + "  " + value + "\n";
  }
  return out;
}

}  // namespace roost
