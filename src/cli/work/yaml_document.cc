#include "cli/work/yaml_document.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/suggest.h"

namespace roost {
namespace {

std::string spoken(std::string_view path) {
  std::string text(path.substr(path.starts_with('/') ? 1 : 0));
  std::replace(text.begin(), text.end(), '/', '.');
  return printable(text);
}

}  // namespace

tl::unexpected<Error> YamlDocument::wrong(std::string_view path, std::string_view text) const {
  for (std::string_view place = path; !place.empty(); place = place.substr(0, place.rfind('/'))) {
    const auto key = std::find_if(keys.rbegin(), keys.rend(),
                                  [&](const YamlKey& one) { return one.path == place; });
    if (key == keys.rend()) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}, line {}: {}: {}", name, key->line, spoken(path), text));
  }
  return fail(ErrorCode::kInvalidArgument, path.empty()
                                               ? fmt::format("{}: {}", name, text)
                                               : fmt::format("{}: {}: {}", name, spoken(path), text));
}

std::vector<std::string> YamlDocument::names(std::string_view path) const {
  const std::string before = std::string(path) + "/";
  std::vector<std::string> found;
  for (const YamlKey& key : keys) {
    if (!key.path.starts_with(before)) continue;
    const std::string rest = key.path.substr(before.size());
    if (rest.find('/') == std::string::npos) found.push_back(rest);
  }
  return found;
}

Status YamlDocument::expect_only(std::string_view path, const Json& object,
                                 const std::vector<std::string>& known) const {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string near = nearest_word(key, known);
    const std::string advice =
        near.empty() ? fmt::format("known keys are {}", fmt::join(known, ", "))
                     : fmt::format("did you mean {}?", near);
    return wrong(fmt::format("{}/{}", path, key), "there is no such key; " + advice);
  }
  return {};
}

Result<YamlDocument> parse_yaml_document(std::string_view text, const std::string& name) {
  YamlDocument document;
  document.name = name;
  ROOST_TRY(document.root, parse_yaml(text, name));
  ROOST_TRY(document.keys, yaml_keys(text, name));
  if (!document.root.is_object()) {
    return document.wrong("", "it has no keys; write lines like `experiment: birds`");
  }
  std::set<std::string> seen;
  for (const YamlKey& key : document.keys) {
    if (!seen.insert(key.path).second) {
      return document.wrong(key.path, "is there twice; keep one of them");
    }
  }
  return document;
}

}  // namespace roost
