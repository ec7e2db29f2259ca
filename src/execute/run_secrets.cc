#include "execute/run_secrets.h"

#include <fmt/format.h>

#include "domain/secret_variables.h"
#include "records/secret_records.h"

namespace roost {
namespace {

Result<std::string> value_of(Tx& tx, const Sealer& sealer, const Run& run, const std::string& variable,
                             const std::string& name) {
  ROOST_TRY(const auto secret, look_for_secret(tx, run.workspace, name));
  if (!secret) {
    return fail(ErrorCode::kNotFound,
                fmt::format("the secret {}, which this run has as {}, was deleted since it was submitted; 'roost secret set {}' "
                            "makes it again, 'roost rerun {}' starts the run once more",
                            name, variable, name, run.id));
  }
  auto value = sealer.open(secret->sealed, secret_place(secret->workspace, secret->name));
  if (value) return value;
  return fail(value.error().code, fmt::format("the secret {} cannot be read: {}", name, value.error().message));
}

}  // namespace

Status add_secrets(Tx& tx, const Sealer& sealer, const Run& run, Json& order) {
  auto opened = open_variables(order["variables"], sealer, text_at(order, "token"));
  if (!opened) {
    order["variables"] = Json::object();
    order["refused"] = opened.error().message;
    return {};
  }
  order["variables"] = std::move(opened->plain);
  order["secrets"] = std::move(opened->secret);
  const Json named = object_at(run.spec, "secrets");
  for (const auto& item : named.items()) {
    const std::string name = item.value().is_string() ? item.value().get<std::string>() : "";
    auto value = value_of(tx, sealer, run, item.key(), name);
    if (!value) {
      order["refused"] = value.error().message;
      return {};
    }
    order["secrets"][item.key()] = *std::move(value);
  }
  return {};
}

}  // namespace roost
