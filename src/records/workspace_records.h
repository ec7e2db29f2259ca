#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"
#include "domain/run.h"

namespace roost {

struct Workspace {
  std::string name;
  std::string id;
  Micros created = 0;
};

struct Experiment {
  std::int64_t row = 0;
  std::string workspace;
  std::string name;
  std::string id;
  Micros created = 0;
  bool archived = false;
  Json tags = Json::object();
  std::int64_t run_count = 0;  // those in the bin left out
  std::optional<Micros> last_run;
  std::optional<Micros> deleted;  // since when it is in the bin
  Micros updated = 0;             // when a name or a tag changed; when it was made if neither has
  std::string artifact_location;  // where MLflow's clients put its files; "" is here
};

// A random id in the form 8-4-4-4-12 hex digits.
std::string new_guid();

Json workspace_json(const Workspace& workspace);
Json experiment_json(const Experiment& experiment);

Result<Workspace> find_workspace(Tx& tx, std::string_view name);
Result<std::vector<Workspace>> list_workspaces(Tx& tx);
Result<Workspace> insert_workspace(Tx& tx, const std::string& name, Micros now);

Result<Experiment> find_experiment(Tx& tx, std::string_view workspace, std::string_view name);
Result<Experiment> experiment_by_row(Tx& tx, std::string_view workspace, std::int64_t row);
// The experiment, made if there is none of that name yet. One in the bin is refused: what it got would be out of sight.
Result<Experiment> open_experiment(Tx& tx, const std::string& workspace, const std::string& name,
                                   Micros now);
Result<Experiment> insert_experiment(Tx& tx, const std::string& workspace, const std::string& name,
                                     Micros now);
// Stores its name, tags and the like. kAlreadyExists if another has the name.
Status save_experiment(Tx& tx, const Experiment& experiment);
// By name, those after `after_name`.
Result<std::vector<Experiment>> list_experiments(Tx& tx, std::string_view workspace,
                                                 std::string_view after_name, std::int64_t limit,
                                                 InBin bin = InBin::kLeftOut);

}  // namespace roost
