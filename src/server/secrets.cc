#include "server/secrets.h"

#include <fmt/format.h>

#include "base/log.h"
#include "records/secret_records.h"

namespace roost {

Status reseal_secrets(App& app) {
  std::vector<Secret> stale;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(stale, all_secrets(tx));
    return {};
  }));
  std::erase_if(stale, [&](const Secret& secret) { return app.sealer->is_newest(secret.sealed); });
  std::vector<Secret> anew;
  for (auto& secret : stale) {
    const std::string place = secret_place(secret.workspace, secret.name);
    const auto value = app.sealer->open(secret.sealed, place);
    if (!value) {
      log_warning("the secret {} of the workspace {} cannot be read: {}", secret.name, secret.workspace, value.error().message);
      continue;
    }
    secret.sealed = app.sealer->seal(*value, place);
    anew.push_back(std::move(secret));
  }
  if (anew.empty()) return {};
  return app.db->write([&](Tx& tx) -> Status {
    for (const auto& secret : anew) ROOST_CHECK(save_secret(tx, secret));
    return {};
  });
}

Result<std::string> secret_value(App& app, const std::string& workspace, const std::string& name) {
  Secret secret;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(secret, find_secret(tx, workspace, name));
    return {};
  }));
  auto value = app.sealer->open(secret.sealed, secret_place(secret.workspace, secret.name));
  if (value) return value;
  return fail(value.error().code, fmt::format("the secret {} cannot be read: {}", secret.name, value.error().message));
}

}  // namespace roost
