#include "cli/show/fact_list.h"

#include <algorithm>

#include "cli/show/text_width.h"

namespace roost {
namespace {

constexpr int kLeastWidth = 20;  // narrower columns are harder to read than lines that the terminal breaks

}  // namespace

void FactList::add(const std::string& name, const std::string& value) {
  if (!value.empty()) facts_.emplace_back(one_line(name), one_line(value));
}

std::string FactList::text(const Style& style, int indent, int width) const {
  int names = 0;
  for (const auto& fact : facts_) names = std::max(names, text_width(fact.first));
  const int before = indent + names + 2;
  const std::string below = "\n" + std::string(static_cast<std::size_t>(before), ' ');
  std::string out;
  for (const auto& [name, value] : facts_) {
    out += std::string(static_cast<std::size_t>(indent), ' ') + style(Tone::kDim, pad_text(name, names)) + "  ";
    if (width - before < kLeastWidth) {
      out += value + "\n";
      continue;
    }
    bool is_first = true;
    for (const std::string& line : wrap_text(value, width - before)) {
      out += (is_first ? "" : below) + line;
      is_first = false;
    }
    out += "\n";
  }
  return out;
}

}  // namespace roost
