#pragma once

#include <string>

#include "domain/manifest.h"
#include "server/app.h"

namespace roost {

// Stores the manifest of a model's files, whose blobs must be there already, and answers its digest. To be called under
// a hold (BlobStore::hold), which lasts until the model names it.
Result<std::string> put_content(App& app, const Manifest& manifest);

}  // namespace roost
