#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mlflow/wire_fields.h"
#include "server/routes/routes.h"

namespace roost {

// A call of MLflow's REST API, on its way to the function that answers it.
struct MlflowCall {
  App& app;
  Request& request;  // its parameters are those of the path
  const Principal& who;
  const std::string& workspace;
  const mlflow::WireFields& fields;  // of the query or the body
};

using MlflowHandler = std::function<Result<Response>(MlflowCall&)>;

// The calls below .../mlflow/, found by method and path. They lie at several addresses: those of MLflow's versions and
// of its own page, for the default workspace, and below /mlflow/WORKSPACE for any.
class MlflowCalls {
 public:
  explicit MlflowCalls(App& app) : app_(app) {}

  // `path` is "/runs/create". Of a GET the fields are the query's, of others the body's, which must be JSON.
  void add(const char* method, const std::string& path, const char* operation, Need need, MlflowHandler handler);

  struct Found {
    const Route* route = nullptr;
    Need need = Need::kOwner;
    const MlflowHandler* handler = nullptr;
  };
  // Also sets the request's parameters to those of the path, with the workspace if the address names one.
  Found find(Request& request, std::string_view path) const;

  Response answer(Request& request, std::string_view path) const;
  std::optional<Response> check_head(Request& request, std::string_view path) const;

 private:
  struct Entry {
    Need need;
    MlflowHandler handler;
  };
  App& app_;
  Router router_;  // of the part of the path after .../mlflow
  std::vector<std::unique_ptr<Entry>> entries_;
};

// What one who is not a call of this table, such as the routes of files, needs of the same.
// Whose runs are meant: the workspace of the address, or that of a run's token, or the default one.
Result<std::string> mlflow_workspace(App& app, const Request& request, const Principal& who);
// An error as MLflow's clients read it; also with the headers every answer has.
Response mlflow_error(const Request& request, Error error);
// Where MLflow's API lies: "/api/2.0" and the like, each also below "/mlflow/{workspace}".
std::vector<std::string> mlflow_prefixes();

// The run that a call names, if its caller may do that to it. One in the bin can be read only.
Result<Run> mlflow_run(Tx& tx, const MlflowCall& call, Reach reach);
// The same for one that may be in the bin.
Result<Run> mlflow_run_in_bin_too(Tx& tx, const MlflowCall& call, Reach reach);
// "ACTIVE_ONLY", "DELETED_ONLY" or "ALL".
Result<InBin> mlflow_view(const MlflowCall& call, const char* field);

void add_mlflow_experiment_calls(MlflowCalls& calls);
void add_mlflow_run_calls(MlflowCalls& calls);
void add_mlflow_metric_calls(MlflowCalls& calls);
void add_mlflow_model_calls(MlflowCalls& calls);
void add_mlflow_registry_calls(MlflowCalls& calls);
void add_mlflow_version_calls(MlflowCalls& calls);
void add_mlflow_search_calls(MlflowCalls& calls);
void add_mlflow_file_calls(MlflowCalls& calls);

// .../mlflow-artifacts/..., whose bodies are files.
void add_mlflow_artifact_routes(Router& router, App& app);

}  // namespace roost
