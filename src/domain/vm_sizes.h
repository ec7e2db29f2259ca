#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roost {

// What Azure gives a machine of this name; Roost maps it on what the machine at hand has.
struct VmSize {
  std::string_view name;
  int cpus;
  int memory_mb;
  int gpus;
  std::string_view gpu_name;
};

const std::vector<VmSize>& vm_sizes();
// By name, whatever its case.
const VmSize* find_vm_size(std::string_view name);

struct Resources {
  int cpus = 0;
  int memory_mb = 0;
  int gpus = 0;
};

// GPUs that the size promises a node, as far as a machine with `machine_gpus` can keep it; nothing if the size says nothing
// of them: "local", or one that nobody knows.
std::optional<int> promised_gpus(std::string_view vm_size, int machine_gpus);

// What a node of `vm_size` gets on a machine that has `machine`. `notices` receives in plain words
// where that is less than the name promises. An unknown name gets the whole machine, with a notice.
Resources node_resources(std::string_view vm_size, const Resources& machine,
                         std::vector<std::string>& notices);

}  // namespace roost
