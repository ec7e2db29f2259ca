#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/visible_gpus.h"

namespace roost {

// The NVIDIA GPUs of this machine that Roost may give to runs: as NVML lists them, else nvidia-smi, else
// /proc/driver/nvidia, else /dev. What CUDA_VISIBLE_DEVICES keeps from this process is left out.
std::vector<Gpu> find_gpus();

// What `nvidia-smi -L` prints: whole GPUs, or the instances of those that are divided.
std::vector<Gpu> gpus_of_listing(const std::string& listing);

}  // namespace roost
