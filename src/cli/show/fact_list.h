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
  std::string text(const Style& style, int indent = 0) const;

 private:
  std::vector<std::pair<std::string, std::string>> facts_;
};

}  // namespace roost
