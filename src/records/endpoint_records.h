#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"
#include "domain/endpoint.h"
#include "domain/run.h"

namespace roost {

// Rows of endpoints and of the runs that are their replicas. All work inside a caller's transaction.

struct EndpointRow {
  std::int64_t seq = 0;
  std::string workspace;
  std::string slug;  // its name in addresses, which no endpoint of another workspace has
  EndpointSpec spec;
  std::int64_t revision = 1;
  std::string primary_key;
  std::string secondary_key;
  Json progress = Json::object();  // EndpointProgress of endpoints/
  Micros created = 0;
  Micros updated = 0;
  std::string created_by;
};

// Takes the slug: the name, or with the workspace behind it if another workspace has that.
Status insert_endpoint(Tx& tx, EndpointRow& endpoint);
// Spec, keys, revision and time; not the progress.
Status save_endpoint(Tx& tx, const EndpointRow& endpoint);
Status save_progress(Tx& tx, std::int64_t endpoint, const Json& progress);
// Its replicas stay, without an endpoint, until they have ended.
Status delete_endpoint(Tx& tx, std::int64_t endpoint);
Result<EndpointRow> find_endpoint(Tx& tx, std::string_view workspace, std::string_view name);
// By their names; all workspaces if none is named.
Result<std::vector<EndpointRow>> list_endpoints(Tx& tx, std::string_view workspace = "");

struct EndpointRevision {
  std::int64_t revision = 0;
  Json spec;
  std::string why;
  Micros created = 0;
  std::string created_by;
};
Status insert_revision(Tx& tx, const EndpointRow& endpoint, const std::string& why, const std::string& who, Micros now);
Result<std::vector<EndpointRevision>> list_revisions(Tx& tx, std::int64_t endpoint);  // newest first

// Which models the endpoint uses, in place of those it used.
struct EndpointModel {
  std::string deployment;
  std::int64_t model = 0;  // row
};
Status set_endpoint_models(Tx& tx, std::int64_t endpoint, const std::vector<EndpointModel>& models);
// [{"workspace", "endpoint", "deployment"}]: what the model of that row serves.
Result<Json> served_by_model(Tx& tx, std::int64_t model);

struct EndpointToken {
  std::string hash;
  Micros expires = 0;
};
Status insert_endpoint_token(Tx& tx, std::int64_t endpoint, const EndpointToken& token);
Status drop_expired_tokens(Tx& tx, Micros now);
Result<std::vector<EndpointToken>> endpoint_tokens(Tx& tx, std::int64_t endpoint, Micros now);

struct ReplicaRow {
  std::int64_t run = 0;  // row
  std::string run_id;
  std::optional<std::int64_t> endpoint;
  std::string deployment;
  std::int64_t revision = 0;
  std::string version;             // the models it serves, for people
  std::string state = "starting";  // "ready", "stopping", "failed": what it last said of itself
  std::string address;
  std::int64_t port = 0;
  std::string key;
  std::string message;
  Micros created = 0;
  std::optional<Micros> ready;
  std::optional<Micros> retired;  // since when it is sent nothing more
  bool is_open = true;            // until the loop has seen its end
  // What its run says.
  RunStatus status = RunStatus::kNotStarted;
  std::string failure;
  std::optional<std::string> node;
  std::optional<Micros> started;
};
Status insert_replica(Tx& tx, const ReplicaRow& replica);
Status save_replica(Tx& tx, const ReplicaRow& replica);
Result<ReplicaRow> find_replica(Tx& tx, std::int64_t run);
// Oldest first.
Result<std::vector<ReplicaRow>> open_replicas(Tx& tx);
// The newest ones of an endpoint, also ended ones; newest first.
Result<std::vector<ReplicaRow>> replicas_of(Tx& tx, std::int64_t endpoint, std::int64_t limit);

}  // namespace roost
