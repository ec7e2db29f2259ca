#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace roost {

// The documents that a worker made of its script, by version ("2", "3", "3.1").
class ScriptSwagger {
 public:
  // {"2": {"own": false, "document": {...}}, ...}; what is malformed is left out.
  explicit ScriptSwagger(const Json& documents);

  // "" is version 2. The paths begin with `prefix`, unless the document is the user's own. kNotFound names the versions
  // there are.
  Result<std::string> document(std::string_view version, std::string_view prefix) const;

 private:
  struct Entry {
    bool is_own = false;
    Json document;
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace roost
