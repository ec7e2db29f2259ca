#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/yaml.h"

namespace roost {

// A YAML file that a person wrote, and where in it things stand, so that a refusal can say it.
struct YamlDocument {
  std::string name;  // of the file, for errors
  Json root;         // an object
  std::vector<YamlKey> keys;

  // "sweep.yaml, line 7: policy.slack_factor: <text>"; `path` is like "/policy/slack_factor". The
  // line is that of the nearest key that is there.
  tl::unexpected<Error> wrong(std::string_view path, std::string_view text) const;
  // Names of the members of the object at `path`, in the order they are written.
  std::vector<std::string> names(std::string_view path) const;
  // Fails if the object at `path` has a member that is none of `known`, with the one likely meant.
  Status expect_only(std::string_view path, const Json& object,
                     const std::vector<std::string>& known) const;
};

// kInvalidArgument if it is no YAML, no object, or says a key twice.
Result<YamlDocument> parse_yaml_document(std::string_view text, const std::string& name);

}  // namespace roost
