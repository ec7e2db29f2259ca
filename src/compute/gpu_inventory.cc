#include "compute/gpu_inventory.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/nvml.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::chrono::seconds kListLimit(10);  // nvidia-smi takes its time where the driver is not kept loaded

std::vector<Gpu> by_nvml() {
  std::vector<Gpu> gpus;
  const Nvml nvml;
  for (const auto& device : nvml.devices()) {
    if (!device.uuid.empty()) gpus.push_back({device.uuid, device.name, device.memory_mb, device.index});
  }
  return gpus;
}

// /proc/driver/nvidia/gpus/0000:01:00.0/information, in the order of PCI addresses.
std::vector<Gpu> by_proc() {
  std::map<std::string, std::string> texts;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    if (const auto text = read_file(entry.path() / "information")) texts[entry.path().filename()] = *text;
  }
  std::vector<Gpu> gpus;
  for (const auto& [address, text] : texts) {
    Gpu gpu;
    gpu.index = static_cast<int>(gpus.size());
    for (const auto& line : split(text, '\n')) {
      const std::size_t colon = line.find(':');
      if (colon == std::string::npos) continue;
      const std::string value(trim(line.substr(colon + 1)));
      if (line.starts_with("GPU UUID")) gpu.id = value;
      if (line.starts_with("Model")) gpu.name = value;
    }
    // A driver that was not asked yet shows question marks.
    if (gpu.id.empty() || gpu.id.find('?') != std::string::npos) gpu.id = std::to_string(gpu.index);
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

// /dev/nvidia0, /dev/nvidia1, ...; not /dev/nvidiactl and the like.
std::vector<Gpu> by_dev() {
  std::vector<int> numbers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev", error)) {
    const std::string name = entry.path().filename();
    const bool is_gpu = name.starts_with("nvidia") && name.size() > 6 &&
                        std::all_of(name.begin() + 6, name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (is_gpu) numbers.push_back(std::atoi(name.c_str() + 6));
  }
  std::sort(numbers.begin(), numbers.end());
  std::vector<Gpu> gpus;
  for (const int number : numbers) gpus.push_back({std::to_string(number), "NVIDIA GPU", 0, number});
  return gpus;
}

}  // namespace

std::vector<Gpu> gpus_of_listing(const std::string& listing) {
  std::vector<Gpu> gpus;
  int index = -1;
  for (const auto& line : split(listing, '\n')) {
    // "GPU 0: NVIDIA A100 (UUID: GPU-5c0a...)", and below it "  MIG 1g.5gb  Device  0: (UUID: MIG-...)".
    const std::size_t begin = line.find("(UUID: ");
    const std::size_t end = line.find(')', begin == std::string::npos ? 0 : begin);
    const std::size_t colon = line.find(": ");
    if (begin == std::string::npos || end == std::string::npos || colon > begin) continue;
    Gpu gpu;
    gpu.id = line.substr(begin + 7, end - begin - 7);
    if (line.starts_with("GPU ")) {
      gpu.name = std::string(trim(line.substr(colon + 2, begin - colon - 2)));
      gpu.index = ++index;
    } else {
      gpu.name = std::string(trim(line.substr(0, colon)));
      gpu.index = index;
      // Work is given to the instances, not to the GPU that they divide.
      if (!gpus.empty() && gpus.back().index == index && gpus.back().id.starts_with("GPU-")) gpus.pop_back();
    }
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

std::vector<Gpu> find_gpus() {
  std::vector<Gpu> gpus = by_nvml();
  std::error_code error;
  const bool has_driver = fs::exists("/proc/driver/nvidia", error) || fs::exists("/dev/nvidiactl", error);
  if (gpus.empty() && has_driver) {
    if (const auto listed = run_command({"nvidia-smi", "-L"}, "", {}, kListLimit); listed && listed->exit_code == 0) {
      gpus = gpus_of_listing(listed->output);
    }
    if (gpus.empty()) gpus = by_proc();
    if (gpus.empty()) gpus = by_dev();
  }
  const char* restricted = std::getenv("CUDA_VISIBLE_DEVICES");
  return restricted ? visible_gpus(gpus, restricted) : gpus;
}

}  // namespace roost
