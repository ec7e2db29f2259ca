#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "domain/names.h"
#include "mlflow/label_names.h"
#include "mlflow/run_wire.h"
#include "records/bin_records.h"
#include "records/run_records.h"
#include "records/wire_run_records.h"
#include "server/routes/mlflow_runs.h"
#include "server/start_run.h"

namespace roost {
namespace {

// The run that the tag says, if it is one: then the new run stands below it here too. What a script starts stands below
// the script's own run.
Result<std::optional<std::string>> parent_of(Tx& tx, const MlflowCall& call, const std::string& told) {
  if (!told.empty()) {
    const auto parent = find_wire_run(tx, call.workspace, told);
    if (parent) {
      ROOST_CHECK(check_reach(tx, *parent, call.who, Reach::kChange));
      return parent->id;
    }
    if (parent.error().code != ErrorCode::kNotFound) return fail(parent.error());
  }
  if (!call.who.run_row) return std::nullopt;
  ROOST_TRY(const Run own, run_by_row(tx, *call.who.run_row));
  return own.id;
}

Result<std::string> user_of(Tx& tx, const Principal& who) {
  if (!who.run_row) return who.name;
  ROOST_TRY(const Run run, run_by_row(tx, *who.run_row));
  return run.created_by;
}

Result<std::string> name_of(const MlflowCall& call, const std::string& tagged) {
  ROOST_TRY(const std::string name, call.fields.text("run_name"));
  if (!name.empty() && !tagged.empty() && name != tagged) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("Both 'run_name' argument and 'mlflow.runName' tag are specified, but with different values "
                    "(run_name='{}', mlflow.runName='{}').",
                    printable(name), printable(tagged)));
  }
  return name.empty() ? tagged : name;
}

// What `roost import mlflow` says of a run besides: its id, which names it elsewhere, and whose it was. No client of MLflow
// sends that. Whose it was is believed of the owner alone.
struct Imported {
  std::string run;
  std::string user;
};

Result<Imported> read_imported(const MlflowCall& call) {
  ROOST_TRY(const mlflow::WireFields fields, call.fields.object("roost_import"));
  Imported imported;
  ROOST_TRY(imported.run, fields.text("run_id"));
  ROOST_TRY(imported.user, fields.text("user_id"));
  if (imported.run.empty()) return Imported{};
  if (!call.who.is_person()) return fail(ErrorCode::kPermissionDenied, "a run's token brings no runs of other stores");
  if (wire_run_id(imported.run, 0) != imported.run) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("Invalid run id '{}': it has letters, digits, _ and - alone", printable(imported.run)));
  }
  ROOST_CHECK(check_text(imported.user, "user_id", 256));
  if (call.who.role < Role::kOwner) imported.user.clear();
  return imported;
}

Result<Response> create(MlflowCall& call) {
  ROOST_TRY(const std::string given, call.fields.text("experiment_id"));
  const std::string experiment = given.empty() ? std::string(kDefaultExperimentId) : given;
  ROOST_TRY(const auto started, read_time(call.fields, "start_time"));
  ROOST_TRY(TagChanges tags, read_tags(call.fields, "tags"));
  std::string parent_tag;
  std::string name_tag;
  for (const auto& [key, value] : tags) {
    if (key == "mlflow.parentRunId") parent_tag = value;
    if (key == "mlflow.runName") name_tag = value;
  }
  ROOST_TRY(const std::string name, name_of(call, name_tag));
  ROOST_TRY(const Imported imported, read_imported(call));
  RunSpec spec;
  spec.interactive = true;
  spec.id = imported.run.empty() ? random_hex(16) : imported.run;
  spec.properties = {{kMadeByMlflow, "true"}};
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Experiment found, find_wire_experiment(tx, call.workspace, experiment));
    if (is_in_bin(found)) {
      return fail(
          ErrorCode::kInvalidArgument,
          fmt::format("The experiment {} must be in the 'active' state. Current state is deleted.", experiment));
    }
    spec.experiment = found.name;
    ROOST_TRY(spec.parent, parent_of(tx, call, parent_tag));
    return {};
  }));
  std::string answer = "{\"run\":";
  StartSteps steps;
  steps.check = [&](Tx& tx) -> Result<std::optional<Submitter>> {
    ROOST_TRY(std::string user, user_of(tx, call.who));
    if (!imported.user.empty()) user = imported.user;
    if (const auto there = find_run(tx, spec.id)) {
      return fail(ErrorCode::kAlreadyExists, fmt::format("there is a run {} already, in the workspace {}", spec.id, there->workspace));
    }
    return Submitter{call.workspace, std::move(user)};
  };
  steps.made = [&](Tx& tx, const Run& made) -> Status {
    Run run = made;
    if (started) run.started = started;
    ROOST_CHECK(save_run(tx, run));
    if (!name.empty()) tags.emplace_back("mlflow.runName", name);
    ROOST_CHECK(put_tags(tx, run, tags));
    ROOST_TRY(const mlflow::WireRun wire, wire_run(tx, run.seq));
    mlflow::append_run(answer, wire);
    return {};
  };
  ROOST_CHECK(start_run(call.app, spec, steps));
  return text_answer(answer + "}");
}

Result<Response> get(MlflowCall& call) {
  std::string answer = "{\"run\":";
  ROOST_CHECK(call.app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, mlflow_run(tx, call, Reach::kRead));
    ROOST_TRY(const mlflow::WireRun wire, wire_run(tx, run.seq));
    mlflow::append_run(answer, wire);
    return {};
  }));
  return text_answer(answer + "}");
}

// Writes to the run that the call names, and tells those who follow it.
Result<Response> change(MlflowCall& call, Reach reach, const std::function<Status(Tx&, Run&)>& work) {
  std::string id;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Run run, mlflow_run(tx, call, reach));
    id = run.id;
    return work(tx, run);
  }));
  call.app.changes.run_changed(id);
  return empty_answer();
}

Result<Response> update(MlflowCall& call) {
  ROOST_TRY(const auto ended, read_time(call.fields, "end_time"));
  ROOST_TRY(const std::string name, call.fields.text("run_name"));
  const std::optional<mlflow::WireStatus> status = call.fields.status("status");
  mlflow::WireRun wire;
  ROOST_CHECK(change(call, Reach::kChange, [&](Tx& tx, Run& run) -> Status {
    if (status) ROOST_CHECK(move_as_told(tx, call, run, *status, ended));
    if (!name.empty() && name != run.display_name) {
      ROOST_CHECK(check_labels_run(tx, call, run, "its name changed"));
      ROOST_CHECK(put_tags(tx, run, {{"mlflow.runName", name}}));
    }
    ROOST_TRY(wire, wire_run_info(tx, run.seq));
    return {};
  }));
  // A client that finds another state than it asked for would ask again.
  if (status) wire.status = *status;
  if (ended && !wire.ended && status && *status != mlflow::WireStatus::kRunning) wire.ended = ended;
  std::string answer = "{\"run_info\":";
  mlflow::append_run_info(answer, wire);
  return text_answer(answer + "}");
}

Result<Response> set_tag(MlflowCall& call) {
  ROOST_TRY(const std::string key, call.fields.required_text("key"));
  ROOST_TRY(const std::string value, call.fields.text("value"));
  ROOST_CHECK(mlflow::check_label_name(key, "tag"));
  return change(call, Reach::kAdd, [&](Tx& tx, Run& run) -> Status {
    ROOST_CHECK(check_labels_run(tx, call, run, "its tags changed"));
    return put_tags(tx, run, {{key, mlflow::cut(value, mlflow::kTagLimit)}});
  });
}

Result<Response> delete_tag(MlflowCall& call) {
  ROOST_TRY(const std::string key, call.fields.required_text("key"));
  return change(call, Reach::kAdd, [&](Tx& tx, Run& run) -> Status {
    ROOST_CHECK(check_labels_run(tx, call, run, "its tags changed"));
    return remove_tag(tx, run, key);
  });
}

Result<Response> delete_run(MlflowCall& call) {
  std::vector<std::string> changed;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(Run run, mlflow_run_in_bin_too(tx, call, Reach::kChange));
    if (is_in_bin(run)) return {};
    // MLflow lets a run be deleted that its client has not ended; here that ends it.
    if (is_made_by_mlflow(run) && !is_terminal(run.status)) {
      ROOST_CHECK(move_as_told(tx, call, run, mlflow::WireStatus::kKilled, std::nullopt));
    }
    ROOST_TRY(changed, put_run_in_bin(tx, run, call.who.name, call.app.clock.now()));
    return {};
  }));
  for (const auto& id : changed) call.app.changes.run_changed(id);
  return empty_answer();
}

Result<Response> restore_run(MlflowCall& call) {
  std::vector<std::string> changed;
  ROOST_CHECK(call.app.db->write([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, mlflow_run_in_bin_too(tx, call, Reach::kChange));
    if (!is_in_bin(run)) return {};
    ROOST_TRY(changed, take_run_out_of_bin(tx, run, call.who.name, call.app.clock.now()));
    return {};
  }));
  for (const auto& id : changed) call.app.changes.run_changed(id);
  return empty_answer();
}

Result<Response> log_parameter(MlflowCall& call) {
  ROOST_TRY(const std::string key, call.fields.required_text("key"));
  ROOST_TRY(const std::string value, call.fields.text("value"));
  ROOST_CHECK(mlflow::check_label_name(key, "param"));
  return change(call, Reach::kAdd, [&](Tx& tx, Run& run) -> Status {
    ROOST_CHECK(check_logs(tx, call, run, "parameters were logged"));
    return log_params(tx, run, {{key, value}});
  });
}

}  // namespace

void add_mlflow_run_calls(MlflowCalls& calls) {
  calls.add("POST", "/runs/create", "mlflow_create_run", Need::kContributorOrRun, create);
  calls.add("GET", "/runs/get", "mlflow_get_run", Need::kReaderOrRun, get);
  calls.add("POST", "/runs/update", "mlflow_update_run", Need::kContributorOrRun, update);
  calls.add("POST", "/runs/delete", "mlflow_delete_run", Need::kContributorOrRun, delete_run);
  calls.add("POST", "/runs/restore", "mlflow_restore_run", Need::kContributorOrRun, restore_run);
  calls.add("POST", "/runs/set-tag", "mlflow_set_tag", Need::kContributorOrRun, set_tag);
  calls.add("POST", "/runs/delete-tag", "mlflow_delete_tag", Need::kContributorOrRun, delete_tag);
  calls.add("POST", "/runs/log-parameter", "mlflow_log_param", Need::kContributorOrRun, log_parameter);
}

}  // namespace roost
