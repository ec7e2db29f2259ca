#pragma once

#include <optional>

#include "access/access.h"
#include "base/json.h"
#include "net/http.h"
#include "records/submission_records.h"
#include "server/app.h"

namespace roost {

// The key that the caller gave its submit, if any. The same key with another body is another submit.
Result<std::optional<SubmissionKey>> submission_key(const App& app, const Request& request, const std::string& workspace,
                                                    const Json& body, const Principal& who);

}  // namespace roost
