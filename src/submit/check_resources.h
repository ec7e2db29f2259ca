#pragma once

#include <string>

#include "domain/resource_ask.h"

namespace roost {

// Whether a run that asks for so much on each of `nodes` nodes could ever start on a compute whose nodes have `node` each
// and share a machine that has `machine`. If not, the error says what there is.
Status check_resources(const ResourceAsk& ask, std::int64_t nodes, const std::string& compute, const Amounts& node,
                       const Amounts& machine);

}  // namespace roost
