#pragma once

#include <string>
#include <vector>

#include "builders/build_order.h"

namespace roost {

// Whether environments are for GPUs: as the operator said, else whether this machine has one of NVIDIA's.
bool wants_gpu(const BuildSettings& settings);

// Constraints that no package of NVIDIA's libraries fulfils, which the builds of PyTorch for GPUs all need: so that
// a resolver has to take a build for CPUs, or an older one that brings them itself.
std::vector<std::string> no_cuda_constraints();

// What packages that also work without a GPU ask for all the same, hundreds of megabytes each.
std::vector<std::string> no_cuda_excludes();

// PyTorch and what is compiled for one build of it.
std::vector<std::string> torch_names();

// Of what is installed, the modules that are compiled for one build of PyTorch: whether the builds match shows
// only when they are imported. "torch" first; empty if there is none.
std::vector<std::string> torch_modules(const std::vector<std::string>& lock);

}  // namespace roost
