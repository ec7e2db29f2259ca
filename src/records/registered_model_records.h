#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"

namespace roost {

// Names of models, as MLflow's clients register them: a name may be there before its first version and after its last.
// The versions are the registry's (registry/models.h), which makes the name of each that is not there yet.
struct RegisteredModel {
  std::string workspace;
  std::string name;
  Micros created = 0;
  Micros updated = 0;
  std::string description;
  Json tags = Json::object();
};

Result<RegisteredModel> find_registered_model(Tx& tx, std::string_view workspace, std::string_view name);
Result<std::vector<RegisteredModel>> list_registered_models(Tx& tx, std::string_view workspace);  // by name
// kAlreadyExists if the name is there.
Status insert_registered_model(Tx& tx, const RegisteredModel& model);
// Its description, tags and time of change.
Status save_registered_model(Tx& tx, const RegisteredModel& model);
// With its versions and aliases. kAlreadyExists if the other name is there, kFailedPrecondition while an endpoint
// serves one.
Status rename_registered_model(Tx& tx, const RegisteredModel& model, const std::string& name, Micros now);
// The name and its aliases; its versions must be gone. Their numbers are not given again.
Status delete_registered_model(Tx& tx, const RegisteredModel& model);

struct ModelAlias {
  std::string alias;
  std::int64_t version = 0;
};
Result<std::vector<ModelAlias>> list_aliases(Tx& tx, std::string_view workspace, std::string_view name);
// Moves one that is there.
Status put_alias(Tx& tx, const RegisteredModel& model, const ModelAlias& alias);
Status remove_alias(Tx& tx, const RegisteredModel& model, std::string_view alias);

// What a version says besides its files.
struct ModelSource {
  Micros updated = 0;  // 0: nothing has changed
  std::string stage = "None";
  std::string source;  // as the client gave it; "" of what no MLflow client made
  std::string run;     // id of the run that the client named, as it named it
  std::string run_link;
  std::string logged_model;
  std::string folder;  // where its files lie in its content; "" is everywhere
};
Result<ModelSource> model_source(Tx& tx, std::int64_t model);
Status put_model_source(Tx& tx, std::int64_t model, const ModelSource& source);

}  // namespace roost
