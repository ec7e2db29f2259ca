#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/show/style.h"

namespace roost {

// Names and values lined up, "  compute   gpu-cluster"; facts without a value are left out.
class FactList {
 public:
  void add(const std::string& name, const std::string& value);
  bool empty() const { return facts_.empty(); }
  // With a `width` long values go on below themselves; 0 never breaks a line.
  std::string text(const Style& style, int indent = 0, int width = 0) const;

 private:
  std::vector<std::pair<std::string, std::string>> facts_;
};

}  // namespace roost
