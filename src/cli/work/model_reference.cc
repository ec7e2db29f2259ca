#include "cli/work/model_reference.h"

#include "domain/endpoint.h"
#include "net/router.h"

namespace roost {

std::string model_path(const Console& console, const std::string& name) {
  return console.in_workspace("/models/" + percent_encode(name));
}

Result<Json> find_model(Console& console, const std::string& text) {
  ROOST_TRY(const ModelReference reference, parse_model_reference(text));
  ROOST_TRY(ApiClient * client, console.client());
  const std::string query = reference.version == 0 ? "" : "?version=" + std::to_string(reference.version);
  return client->get(model_path(console, reference.name) + query);
}

}  // namespace roost
