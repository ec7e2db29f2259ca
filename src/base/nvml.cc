#include "base/nvml.h"

#include <dlfcn.h>

#include <cstdlib>

namespace roost {
namespace {

constexpr double kMegabyte = 1e6;
constexpr unsigned kMostDevices = 1024;  // whatever a library claims

// The few calls that are used; their types are plain C.
using Handle = void*;
struct Utilization {
  unsigned gpu;
  unsigned memory;
};
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
using CountCall = int (*)(unsigned*);
using HandleCall = int (*)(unsigned, Handle*);
using TextCall = int (*)(Handle, char*, unsigned);
using MemoryCall = int (*)(Handle, Memory*);
using LoadCall = int (*)(Handle, Utilization*);
using MigModeCall = int (*)(Handle, unsigned*, unsigned*);
using MigCountCall = int (*)(Handle, unsigned*);
using MigHandleCall = int (*)(Handle, unsigned, Handle*);

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

std::string text_of(void* library, const char* call, Handle device) {
  const auto get = symbol<TextCall>(library, call);
  char text[128] = {};
  return get && get(device, text, sizeof text - 1) == 0 ? text : "";
}

Nvml::Device describe(void* library, Handle handle, unsigned index) {
  Nvml::Device device;
  device.uuid = text_of(library, "nvmlDeviceGetUUID", handle);
  device.name = text_of(library, "nvmlDeviceGetName", handle);
  device.index = static_cast<int>(index);
  device.handle = handle;
  Memory memory{};
  const auto get = symbol<MemoryCall>(library, "nvmlDeviceGetMemoryInfo");
  if (get && get(handle, &memory) == 0) device.memory_mb = static_cast<std::int64_t>(memory.total >> 20);
  return device;
}

bool is_divided(void* library, Handle device) {
  const auto mode = symbol<MigModeCall>(library, "nvmlDeviceGetMigMode");
  unsigned current = 0;
  unsigned pending = 0;
  return mode && mode(device, &current, &pending) == 0 && current == 1;
}

void add_instances(void* library, Handle device, unsigned index, std::vector<Nvml::Device>& devices) {
  const auto count_of = symbol<MigCountCall>(library, "nvmlDeviceGetMaxMigDeviceCount");
  const auto instance_at = symbol<MigHandleCall>(library, "nvmlDeviceGetMigDeviceHandleByIndex");
  unsigned count = 0;
  if (!count_of || !instance_at || count_of(device, &count) != 0) return;
  for (unsigned i = 0; i < count && i < kMostDevices; ++i) {
    Handle instance = nullptr;
    if (instance_at(device, i, &instance) != 0) continue;  // not every place is taken
    devices.push_back(describe(library, instance, index));
  }
}

}  // namespace

Nvml::Nvml() {
  const char* given = std::getenv("ROOST_NVML");
  library_ = ::dlopen(given && *given ? given : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library_) return;
  const auto init = symbol<int (*)()>(library_, "nvmlInit_v2");
  if (init && init() == 0) return;
  ::dlclose(library_);
  library_ = nullptr;
}

Nvml::~Nvml() {
  if (library_) ::dlclose(library_);
}

std::vector<Nvml::Device> Nvml::devices() const {
  std::vector<Device> devices;
  if (!library_) return devices;
  const auto count_of = symbol<CountCall>(library_, "nvmlDeviceGetCount_v2");
  const auto device_at = symbol<HandleCall>(library_, "nvmlDeviceGetHandleByIndex_v2");
  unsigned count = 0;
  if (!count_of || !device_at || count_of(&count) != 0) return devices;
  for (unsigned i = 0; i < count && i < kMostDevices; ++i) {
    Handle device = nullptr;
    if (device_at(i, &device) != 0) continue;
    if (is_divided(library_, device)) {
      add_instances(library_, device, i, devices);
    } else {
      devices.push_back(describe(library_, device, i));
    }
  }
  return devices;
}

Nvml::Load Nvml::load(const Device& device) const {
  Load load;
  if (!library_) return load;
  Utilization use{};
  const auto busy = symbol<LoadCall>(library_, "nvmlDeviceGetUtilizationRates");
  if (busy && busy(device.handle, &use) == 0) load.percent = use.gpu;
  Memory held{};
  const auto memory = symbol<MemoryCall>(library_, "nvmlDeviceGetMemoryInfo");
  if (memory && memory(device.handle, &held) == 0) load.memory_mb = static_cast<double>(held.used) / kMegabyte;
  return load;
}

}  // namespace roost
