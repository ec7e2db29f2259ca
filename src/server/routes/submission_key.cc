#include "server/routes/submission_key.h"

#include <fmt/format.h>

namespace roost {

Result<std::optional<SubmissionKey>> submission_key(const App& app, const Request& request, const std::string& workspace,
                                                    const Json& body, const Principal& who) {
  if (!request.headers.contains("idempotency-key")) return std::nullopt;
  const std::string key = request.header("idempotency-key");
  ROOST_CHECK(check_submission_key(key));
  const std::string caller = who.run_row ? fmt::format("run/{}", *who.run_row) : "token/" + who.token;
  return SubmissionKey{workspace, caller, key, app.access->fingerprint(to_text(body))};
}

}  // namespace roost
