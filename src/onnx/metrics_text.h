#pragma once

#include <string>

#include "infer/servant.h"
#include "onnx/model_set.h"

namespace roost {

// Prometheus text: for each version of a model requests that succeeded and failed, rows, runs, where the time went
// (queue, compute, output), how many wait.
std::string metrics_text(const ModelSet& models, const ServantLoad& load);

}  // namespace roost
