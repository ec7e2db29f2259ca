#pragma once

#include <string>
#include <vector>

#include "domain/run_spec.h"
#include "records/endpoint_records.h"

namespace roost {

// A model as a replica finds it: azureml-models/<name>/<version> below its working folder.
struct DeployedModel {
  std::string name;
  std::int64_t version = 0;
  std::string content;  // digest of its manifest
};

// The run that is a replica: its environment, code, models, and its order in a variable (src/serve reads it). `listens_here`:
// on this machine alone.
RunSpec replica_run(const EndpointRow& endpoint, const DeploymentSpec& deployment, const std::vector<DeployedModel>& models,
                    bool listens_here);

// The models, for people: "birds:3".
std::string version_of(const DeploymentSpec& deployment);

}  // namespace roost
