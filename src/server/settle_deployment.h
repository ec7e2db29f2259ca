#pragma once

#include <string>
#include <vector>

#include "blobs/blob_store.h"
#include "db/database.h"
#include "domain/endpoint.h"
#include "endpoints/replica_run.h"
#include "records/endpoint_records.h"

namespace roost {

// Names each model with its version, and what serves it where that was not said: code is Python's, one .onnx file the
// native runtime's, a model registered as ScikitLearn is called by itself. What cannot be served is refused with the way
// out. Looks at files, so it is called outside of a write.
Status settle_deployment(Database& db, const BlobStore& blobs, const std::string& workspace, DeploymentSpec& deployment);

// The rows of the models that an endpoint uses; kNotFound if one has been deleted meanwhile.
Result<std::vector<EndpointModel>> models_of(Tx& tx, const std::string& workspace, const EndpointSpec& spec);

Result<std::vector<DeployedModel>> deployed_models(Tx& tx, const std::string& workspace, const DeploymentSpec& deployment);

}  // namespace roost
