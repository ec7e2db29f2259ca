#include "server/routes/endpoint_answers.h"

#include "records/workspace_records.h"
#include "server/front_process.h"

namespace roost {

EndpointView endpoint_view(App& app) { return {app.front->url(), app.replica_loads, app.clock.now()}; }

Result<Response> endpoint_answer(App& app, const std::string& workspace, const std::string& name, const Principal& who,
                                 int status) {
  Json answer;
  const EndpointView view = endpoint_view(app);
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, workspace));
    ROOST_TRY(const EndpointRow endpoint, find_endpoint(tx, workspace, name));
    ROOST_TRY(answer, endpoint_json(tx, endpoint, view, who));
    return {};
  }));
  return json_response(answer, status);
}

}  // namespace roost
