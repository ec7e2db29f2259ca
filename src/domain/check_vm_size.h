#pragma once

#include <string_view>

#include "base/result.h"

namespace roost {

// Whether there is a VM size of that name. Of an unknown one the error names those nearest to it. Computes that were made
// when those were let through keep the whole machine; see node_resources().
Status check_vm_size(std::string_view name);

}  // namespace roost
