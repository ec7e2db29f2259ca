#include "cli/work/model_reference.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "net/router.h"

namespace roost {

Result<ModelReference> parse_model_reference(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  ModelReference reference{text.substr(0, colon), ""};
  if (colon == std::string::npos) return reference;
  reference.version = text.substr(colon + 1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool number = !reference.version.empty() && reference.version.size() < 10 &&
                      std::all_of(reference.version.begin(), reference.version.end(), digit);
  if (!number || reference.name.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is no version of a model; write it like birds or birds:3",
                            printable(text)));
  }
  return reference;
}

std::string model_path(const Console& console, const std::string& name) {
  return console.in_workspace("/models/" + percent_encode(name));
}

Result<Json> find_model(Console& console, const std::string& text) {
  ROOST_TRY(const ModelReference reference, parse_model_reference(text));
  ROOST_TRY(ApiClient * client, console.client());
  const std::string query = reference.version.empty() ? "" : "?version=" + reference.version;
  return client->get(model_path(console, reference.name) + query);
}

}  // namespace roost
