#include "score/script_swagger.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {

ScriptSwagger::ScriptSwagger(const Json& documents) {
  if (!documents.is_object()) return;
  for (const auto& item : documents.items()) {
    if (!item.value().is_object() || !item.value().contains("document")) continue;
    entries_[item.key()] = {flag_at(item.value(), "own"), item.value()["document"]};
  }
}

Result<std::string> ScriptSwagger::document(std::string_view version, std::string_view prefix) const {
  std::string_view wanted = version.empty() ? "2" : version;
  if (wanted == "2.0" || wanted == "3.0") wanted.remove_suffix(2);
  const auto found = entries_.find(wanted);
  if (found == entries_.end()) {
    std::string versions;
    for (const auto& [name, entry] : entries_) versions += (versions.empty() ? "" : ", ") + name;
    return fail(ErrorCode::kNotFound, fmt::format("Swagger version [{}] is not valid. Supported versions: [{}].",
                                                  printable(version), versions));
  }
  const Entry& entry = found->second;
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (entry.is_own || prefix.empty() || !member(entry.document, "paths").is_object()) return to_text(entry.document);
  Json document = entry.document;
  Json paths = Json::object();
  for (const auto& item : document["paths"].items()) paths[std::string(prefix) + item.key()] = item.value();
  document["paths"] = std::move(paths);
  return to_text(document);
}

}  // namespace roost
