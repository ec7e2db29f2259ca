#pragma once

#include <string>

#include "base/result.h"
#include "server/app.h"

namespace roost {

// Once at the start: what a key sealed that is no longer the first one in secrets.key is sealed anew with that one.
Status reseal_secrets(App& app);

// The value. kNotFound if there is none of the name, and the errors of Sealer::open() with the secret's name.
Result<std::string> secret_value(App& app, const std::string& workspace, const std::string& name);

}  // namespace roost
