#include "domain/vm_sizes.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {

const std::vector<VmSize>& vm_sizes() {
  static const std::vector<VmSize> sizes = {
      {"STANDARD_NC6", 6, 57'344, 1, "K80"},
      {"STANDARD_NC12", 12, 114'688, 2, "K80"},
      {"STANDARD_NC24", 24, 229'376, 4, "K80"},
      {"STANDARD_NC24R", 24, 229'376, 4, "K80"},
      {"STANDARD_NC6S_V2", 6, 114'688, 1, "P100"},
      {"STANDARD_NC12S_V2", 12, 229'376, 2, "P100"},
      {"STANDARD_NC24S_V2", 24, 458'752, 4, "P100"},
      {"STANDARD_NC24RS_V2", 24, 458'752, 4, "P100"},
      {"STANDARD_NC6S_V3", 6, 114'688, 1, "V100"},
      {"STANDARD_NC12S_V3", 12, 229'376, 2, "V100"},
      {"STANDARD_NC24S_V3", 24, 458'752, 4, "V100"},
      {"STANDARD_NC24RS_V3", 24, 458'752, 4, "V100"},
      {"STANDARD_ND6S", 6, 114'688, 1, "P40"},
      {"STANDARD_ND12S", 12, 229'376, 2, "P40"},
      {"STANDARD_ND24S", 24, 458'752, 4, "P40"},
      {"STANDARD_ND40RS_V2", 40, 688'128, 8, "V100"},
      {"STANDARD_ND96ASR_V4", 96, 921'600, 8, "A100"},
      {"STANDARD_ND96AMSR_A100_V4", 96, 1'945'600, 8, "A100"},
      {"STANDARD_ND96ISR_H100_V5", 96, 1'945'600, 8, "H100"},
      {"STANDARD_NC24ADS_A100_V4", 24, 225'280, 1, "A100"},
      {"STANDARD_NC48ADS_A100_V4", 48, 450'560, 2, "A100"},
      {"STANDARD_NC96ADS_A100_V4", 96, 901'120, 4, "A100"},
      {"STANDARD_NC40ADS_H100_V5", 40, 327'680, 1, "H100"},
      {"STANDARD_NC80ADIS_H100_V5", 80, 655'360, 2, "H100"},
      {"STANDARD_NC4AS_T4_V3", 4, 28'672, 1, "T4"},
      {"STANDARD_NC8AS_T4_V3", 8, 57'344, 1, "T4"},
      {"STANDARD_NC16AS_T4_V3", 16, 112'640, 1, "T4"},
      {"STANDARD_NC64AS_T4_V3", 64, 450'560, 4, "T4"},
      {"STANDARD_NV6", 6, 57'344, 1, "M60"},
      {"STANDARD_NV12", 12, 114'688, 2, "M60"},
      {"STANDARD_NV24", 24, 229'376, 4, "M60"},
      {"STANDARD_NV12S_V3", 12, 114'688, 1, "M60"},
      {"STANDARD_NV24S_V3", 24, 229'376, 2, "M60"},
      {"STANDARD_NV48S_V3", 48, 458'752, 4, "M60"},
      {"STANDARD_A1_V2", 1, 2'048, 0, ""},
      {"STANDARD_A2_V2", 2, 4'096, 0, ""},
      {"STANDARD_A4_V2", 4, 8'192, 0, ""},
      {"STANDARD_D1_V2", 1, 3'584, 0, ""},
      {"STANDARD_D2_V2", 2, 7'168, 0, ""},
      {"STANDARD_D3_V2", 4, 14'336, 0, ""},
      {"STANDARD_D4_V2", 8, 28'672, 0, ""},
      {"STANDARD_D5_V2", 16, 57'344, 0, ""},
      {"STANDARD_D11_V2", 2, 14'336, 0, ""},
      {"STANDARD_D12_V2", 4, 28'672, 0, ""},
      {"STANDARD_D13_V2", 8, 57'344, 0, ""},
      {"STANDARD_D14_V2", 16, 114'688, 0, ""},
      {"STANDARD_DS1_V2", 1, 3'584, 0, ""},
      {"STANDARD_DS2_V2", 2, 7'168, 0, ""},
      {"STANDARD_DS3_V2", 4, 14'336, 0, ""},
      {"STANDARD_DS4_V2", 8, 28'672, 0, ""},
      {"STANDARD_DS5_V2", 16, 57'344, 0, ""},
      {"STANDARD_DS11_V2", 2, 14'336, 0, ""},
      {"STANDARD_DS12_V2", 4, 28'672, 0, ""},
      {"STANDARD_DS13_V2", 8, 57'344, 0, ""},
      {"STANDARD_DS14_V2", 16, 114'688, 0, ""},
      {"STANDARD_DS15_V2", 20, 143'360, 0, ""},
      {"STANDARD_D2_V3", 2, 8'192, 0, ""},
      {"STANDARD_D4_V3", 4, 16'384, 0, ""},
      {"STANDARD_D8_V3", 8, 32'768, 0, ""},
      {"STANDARD_D16_V3", 16, 65'536, 0, ""},
      {"STANDARD_D32_V3", 32, 131'072, 0, ""},
      {"STANDARD_D64_V3", 64, 262'144, 0, ""},
      {"STANDARD_D2S_V3", 2, 8'192, 0, ""},
      {"STANDARD_D4S_V3", 4, 16'384, 0, ""},
      {"STANDARD_D8S_V3", 8, 32'768, 0, ""},
      {"STANDARD_D16S_V3", 16, 65'536, 0, ""},
      {"STANDARD_D32S_V3", 32, 131'072, 0, ""},
      {"STANDARD_D64S_V3", 64, 262'144, 0, ""},
      {"STANDARD_E2S_V3", 2, 16'384, 0, ""},
      {"STANDARD_E4S_V3", 4, 32'768, 0, ""},
      {"STANDARD_E8S_V3", 8, 65'536, 0, ""},
      {"STANDARD_E16S_V3", 16, 131'072, 0, ""},
      {"STANDARD_E32S_V3", 32, 262'144, 0, ""},
      {"STANDARD_F2S_V2", 2, 4'096, 0, ""},
      {"STANDARD_F4S_V2", 4, 8'192, 0, ""},
      {"STANDARD_F8S_V2", 8, 16'384, 0, ""},
      {"STANDARD_F16S_V2", 16, 32'768, 0, ""},
      {"STANDARD_F32S_V2", 32, 65'536, 0, ""},
      {"STANDARD_F64S_V2", 64, 131'072, 0, ""},
      {"STANDARD_F72S_V2", 72, 147'456, 0, ""},
  };
  return sizes;
}

const VmSize* find_vm_size(std::string_view name) {
  const std::string wanted = lower(name);
  for (const auto& size : vm_sizes()) {
    if (lower(size.name) == wanted) return &size;
  }
  return nullptr;
}

Resources node_resources(std::string_view vm_size, const Resources& machine,
                         std::vector<std::string>& notices) {
  if (vm_size == "local") return machine;
  const VmSize* size = find_vm_size(vm_size);
  if (!size) {
    notices.push_back(fmt::format("the VM size {} is not in the table; its nodes get the whole "
                                  "machine ({} CPUs, {} GPUs)",
                                  printable(vm_size), machine.cpus, machine.gpus));
    return machine;
  }
  const Resources got = {std::min(size->cpus, machine.cpus),
                         std::min(size->memory_mb, machine.memory_mb),
                         std::min(size->gpus, machine.gpus)};
  if (got.cpus < size->cpus || got.gpus < size->gpus || got.memory_mb < size->memory_mb) {
    const auto plural = [](int count, std::string_view word) {
      return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
    };
    std::string asked = plural(size->cpus, "CPU");
    if (size->gpus > 0) asked += ", " + plural(size->gpus, fmt::format("{} GPU", size->gpu_name));
    notices.push_back(fmt::format("{} means {} and {} GB of memory; a node here gets {}, {} and {} GB",
                                  size->name, asked, size->memory_mb / 1024, plural(got.cpus, "CPU"),
                                  plural(got.gpus, "GPU"), got.memory_mb / 1024));
  }
  return got;
}

}  // namespace roost
