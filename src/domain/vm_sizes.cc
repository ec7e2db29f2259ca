#include "domain/vm_sizes.h"

#include <algorithm>
#include <deque>
#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr int kGb = 1024;

// Sizes that differ in their number only: STANDARD_<letter><CPUs><rest>.
struct Family {
  std::string_view letter;
  std::string_view rest;
  int gb_per_cpu;
  std::vector<int> cpus;
};

const std::vector<Family>& families() {
  static const std::vector<int> kSmall = {2, 4, 8, 16, 32, 48, 64};
  static const std::vector<int> kAll = {2, 4, 8, 16, 20, 32, 48, 64, 96};
  static const std::vector<Family> all = {
      {"A", "_V2", 2, {1, 2, 4, 8}},  {"A", "M_V2", 8, {2, 4, 8}},
      {"D", "_V3", 4, kSmall},        {"D", "S_V3", 4, kSmall},
      {"D", "_V4", 4, kSmall},        {"D", "S_V4", 4, kSmall},    {"D", "D_V4", 4, kSmall},
      {"D", "DS_V4", 4, kSmall},      {"D", "A_V4", 4, kAll},      {"D", "AS_V4", 4, kAll},
      {"D", "_V5", 4, kAll},          {"D", "S_V5", 4, kAll},      {"D", "D_V5", 4, kAll},
      {"D", "DS_V5", 4, kAll},        {"D", "AS_V5", 4, kAll},     {"D", "ADS_V5", 4, kAll},
      {"E", "_V3", 8, kAll},          {"E", "S_V3", 8, kAll},
      {"E", "_V4", 8, kAll},          {"E", "S_V4", 8, kAll},      {"E", "D_V4", 8, kAll},
      {"E", "DS_V4", 8, kAll},        {"E", "A_V4", 8, kAll},      {"E", "AS_V4", 8, kAll},
      {"E", "_V5", 8, kAll},          {"E", "S_V5", 8, kAll},      {"E", "DS_V5", 8, kAll},
      {"E", "AS_V5", 8, kAll},        {"E", "ADS_V5", 8, kAll},
      {"F", "", 2, {1, 2, 4, 8, 16}}, {"F", "S", 2, {1, 2, 4, 8, 16}},
      {"F", "S_V2", 2, {2, 4, 8, 16, 32, 48, 64, 72}},
      {"L", "S", 8, {4, 8, 16, 32}},  {"L", "S_V2", 8, {8, 16, 32, 48, 64, 80}},
      {"B", "MS", 4, {2, 4, 8, 12, 16, 20}},
      {"H", "", 7, {8, 16}},          {"H", "M", 14, {8, 16}},
  };
  return all;
}

// The older ones, whose number is not that of their CPUs; each also as DS, with another disk.
const std::vector<VmSize>& numbered() {
  static const std::vector<VmSize> all = {
      {"1", 1, 3'584, 0, ""},   {"2", 2, 7'168, 0, ""},    {"3", 4, 14'336, 0, ""},  {"4", 8, 28'672, 0, ""},
      {"5", 16, 57'344, 0, ""}, {"11", 2, 14'336, 0, ""},  {"12", 4, 28'672, 0, ""}, {"13", 8, 57'344, 0, ""},
      {"14", 16, 114'688, 0, ""}, {"15", 20, 143'360, 0, ""},
  };
  return all;
}

std::string_view kept(std::string name) {
  static std::deque<std::string> names;  // what string_views point into
  return names.emplace_back(std::move(name));
}

void add_families(std::vector<VmSize>& sizes) {
  for (const auto& family : families()) {
    for (const int cpus : family.cpus) {
      sizes.push_back({kept(fmt::format("STANDARD_{}{}{}", family.letter, cpus, family.rest)), cpus,
                       cpus * family.gb_per_cpu * kGb, 0, ""});
    }
  }
  for (const std::string_view letter : {"D", "DS"}) {
    for (const auto& size : numbered()) {
      for (const std::string_view line : {"_V2", ""}) {  // the first line ended at 14, and had no 5
        if (line.empty() && (size.name == "5" || size.name == "15")) continue;
        sizes.push_back({kept(fmt::format("STANDARD_{}{}{}", letter, size.name, line)), size.cpus, size.memory_mb, 0, ""});
      }
    }
  }
}

}  // namespace

const std::vector<VmSize>& vm_sizes() {
  static const std::vector<VmSize> sizes = [] {
    std::vector<VmSize> all = {
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
        {"STANDARD_NC6_PROMO", 6, 57'344, 1, "K80"},
        {"STANDARD_NC12_PROMO", 12, 114'688, 2, "K80"},
        {"STANDARD_NC24_PROMO", 24, 229'376, 4, "K80"},
        {"STANDARD_NC24R_PROMO", 24, 229'376, 4, "K80"},
        {"STANDARD_ND24RS", 24, 458'752, 4, "P40"},
        {"STANDARD_NV6_PROMO", 6, 57'344, 1, "M60"},
        {"STANDARD_NV12_PROMO", 12, 114'688, 2, "M60"},
        {"STANDARD_NV24_PROMO", 24, 229'376, 4, "M60"},
        {"STANDARD_NV6S_V2", 6, 114'688, 1, "M60"},
        {"STANDARD_NV12S_V2", 12, 229'376, 2, "M60"},
        {"STANDARD_NV24S_V2", 24, 458'752, 4, "M60"},
        {"STANDARD_NV4AS_V4", 4, 14'336, 1, "MI25"},
        {"STANDARD_NV8AS_V4", 8, 28'672, 1, "MI25"},
        {"STANDARD_NV16AS_V4", 16, 57'344, 1, "MI25"},
        {"STANDARD_NV32AS_V4", 32, 114'688, 1, "MI25"},
        {"STANDARD_NV6ADS_A10_V5", 6, 56'320, 1, "A10"},
        {"STANDARD_NV12ADS_A10_V5", 12, 112'640, 1, "A10"},
        {"STANDARD_NV18ADS_A10_V5", 18, 225'280, 1, "A10"},
        {"STANDARD_NV36ADS_A10_V5", 36, 450'560, 1, "A10"},
        {"STANDARD_NV72ADS_A10_V5", 72, 901'120, 2, "A10"},
        {"STANDARD_B1S", 1, 1'024, 0, ""},
        {"STANDARD_B1MS", 1, 2'048, 0, ""},
        {"STANDARD_B2S", 2, 4'096, 0, ""},
        {"STANDARD_H16R", 16, 114'688, 0, ""},
        {"STANDARD_H16MR", 16, 229'376, 0, ""},
        {"STANDARD_HB60RS", 60, 233'472, 0, ""},
        {"STANDARD_HB120RS_V2", 120, 466'944, 0, ""},
        {"STANDARD_HB120RS_V3", 120, 458'752, 0, ""},
        {"STANDARD_HC44RS", 44, 360'448, 0, ""},
        {"STANDARD_G1", 2, 28'672, 0, ""},
        {"STANDARD_G2", 4, 57'344, 0, ""},
        {"STANDARD_G3", 8, 114'688, 0, ""},
        {"STANDARD_G4", 16, 229'376, 0, ""},
        {"STANDARD_G5", 32, 458'752, 0, ""},
        {"STANDARD_M16MS", 16, 448'512, 0, ""},
        {"STANDARD_M32TS", 32, 196'608, 0, ""},
        {"STANDARD_M32LS", 32, 262'144, 0, ""},
        {"STANDARD_M32MS", 32, 896'000, 0, ""},
        {"STANDARD_M64S", 64, 1'048'576, 0, ""},
        {"STANDARD_M64MS", 64, 1'835'008, 0, ""},
        {"STANDARD_M128S", 128, 2'097'152, 0, ""},
        {"STANDARD_M128MS", 128, 3'985'408, 0, ""},
    };
    add_families(all);
    return all;
  }();
  return sizes;
}

const VmSize* find_vm_size(std::string_view name) {
  const std::string wanted = lower(name);
  for (const auto& size : vm_sizes()) {
    if (lower(size.name) == wanted) return &size;
  }
  return nullptr;
}

std::optional<int> promised_gpus(std::string_view vm_size, int machine_gpus) {
  const VmSize* size = find_vm_size(vm_size);
  if (!size) return std::nullopt;
  return std::min(size->gpus, machine_gpus);
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
