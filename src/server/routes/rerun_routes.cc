#include <fmt/format.h>

#include "domain/secret_variables.h"
#include "records/run_records.h"
#include "server/repeat_run.h"
#include "server/routes/answer_started.h"
#include "server/routes/routes.h"
#include "server/routes/submission_key.h"
#include "server/run_details.h"

namespace roost {
namespace {

struct Repeated {
  Run run;
  RunSpec before;
  RunSpec after;
};

Result<Repeated> repeated(App& app, const Request& request, const Json& changes, const Principal& who) {
  Repeated made;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(made.run, request_run(tx, request, who));
    return {};
  }));
  ROOST_TRY(made.before, spec_to_repeat(made.run));
  ROOST_TRY(made.after, changed_spec(made.before, changes));
  ROOST_CHECK(check_secrets_stay(made.run, made.after, who));
  return made;
}

// Who gave the variables that stay, if not the one who starts it again.
void note_origin(const Repeated& made, const Principal& who, RunSpec& spec) {
  spec.properties["roost.rerun_of"] = made.run.id;
  if (variables_for(who, made.run) == Variables::kMasked && !spec.properties.contains(kVariablesOf)) {
    spec.properties[kVariablesOf] = made.run.created_by;
  }
}

Json preview_json(const Repeated& made, const Run& would_be, const Principal& who) {
  const Variables variables = variables_for(who, made.run);
  Json spec = run_spec_json(made.after);
  mask_spec(spec, variables);
  Json before = run_spec_json(made.before);
  mask_spec(before, variables);
  Json changes = Json::array();
  for (const auto& change : spec_changes(made.before, made.after, variables)) {
    changes.push_back({{"name", change.name}, {"from", change.from}, {"to", change.to}});
  }
  return {{"run", made.run.id},
          {"workspace", made.run.workspace},
          {"before", std::move(before)},
          {"spec", std::move(spec)},
          {"environment", {{"name", member(would_be.environment, "name")}, {"version", member(would_be.environment, "version")}}},
          {"changes", std::move(changes)}};
}

Result<Response> rerun(App& app, const Request& request, const Principal& who) {
  Json body = Json::object();
  if (!request.body.empty()) {
    ROOST_TRY(body, json_body(request));
  }
  JsonFields fields(body, "the request");
  const Json changes = fields.object_as_given("changes");
  const bool only_shows = fields.boolean("dry_run", false);
  ROOST_CHECK(fields.done());
  ROOST_TRY(const Repeated made, repeated(app, request, changes, who));
  RunSpec spec = made.after;
  note_origin(made, who, spec);
  if (only_shows) {
    ROOST_TRY(const Run would_be, check_start(app, spec, {made.run.workspace, who.name}));
    return json_response(preview_json(made, would_be, who));
  }
  const Json content = {{"rerun_of", made.run.id}, {"changes", changes}};
  ROOST_TRY(const auto key, submission_key(app, request, made.run.workspace, content, who));
  return answer_started(
      app, who, spec, [&](Tx&) -> Result<Submitter> { return Submitter{made.run.workspace, who.name}; }, key);
}

}  // namespace

void add_rerun_routes(Router& router, App& app) {
  add_operation(router, app, "POST", "/api/v1/runs/{run}/rerun", "rerun_run", Need::kContributor,
                [&app](Request& request, const Principal& who) { return rerun(app, request, who); });
}

}  // namespace roost
