#pragma once

#include <map>
#include <optional>
#include <set>
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

  // By name or alias, letter case aside. An alias may end in '*'. What was added last goes before all that was there,
  // an alias with '*' too; of what was added at once a whole name goes before these, and the longest of these first.
  std::optional<CuratedEnvironment> find(std::string_view name) const;

  // Environments and those aliases that name one environment (no '*').
  std::vector<std::string> names() const;

 private:
  struct Environment {
    std::string spelled;
    Json definition;
  };
  struct Alias {
    std::string spelled;
    std::string environment;  // lower-case name
  };
  // What one file says. Names are in lower case.
  struct Layer {
    std::set<std::string> environments;
    std::map<std::string, Alias> aliases;
    std::map<std::string, std::string> patterns;  // without the '*' -> environment
  };
  std::map<std::string, Environment> environments_;  // the newest of each name
  std::vector<Layer> layers_;                        // the newest last
};

}  // namespace roost
