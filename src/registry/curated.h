#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace roost {

struct CuratedEnvironment {
  std::string name;  // as the alias table spells it
  Json definition;
  std::string alias_of;
  std::string notice;
};

// The environments every workspace has, and the aliases under which real code asks for them. Read
// from YAML: curated.yaml of this folder is built in, and an operator may name a file of his own,
// which adds to it and goes before it.
class CuratedEnvironments {
 public:
  // The built-in ones.
  static Result<CuratedEnvironments> built_in();

  // Adds what the YAML text says. Unknown keys, aliases of nothing and wrong types are refused.
  Status add(std::string_view yaml, const std::string& file_name);

  // By name or alias, letter case aside. An alias may end in '*'.
  std::optional<CuratedEnvironment> find(std::string_view name) const;

  // Environments and those aliases that name one environment (no '*').
  std::vector<std::string> names() const;

 private:
  struct Entry {
    std::string spelled;
    Json definition;
    std::string alias_of;
  };
  std::map<std::string, Entry> entries_;                        // by lower-case name
  std::vector<std::pair<std::string, std::string>> patterns_;  // lower-case prefix, environment
};

}  // namespace roost
