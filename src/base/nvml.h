#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace roost {

// NVIDIA's management library, found at run time: libnvidia-ml.so.1, or what $ROOST_NVML names. A machine without it
// has no devices. Not thread-safe.
class Nvml {
 public:
  Nvml();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool is_there() const { return library_ != nullptr; }

  struct Device {
    std::string uuid;  // "GPU-..." or, of an instance of a GPU that is divided, "MIG-..."
    std::string name;
    std::int64_t memory_mb = 0;
    int index = 0;  // of the GPU, or of the one that it is an instance of
    void* handle = nullptr;
  };
  // What work can be given: whole GPUs, and in place of a divided one its instances. In NVML's order, by PCI address.
  std::vector<Device> devices() const;

  struct Load {
    std::optional<double> percent;  // an instance has none
    double memory_mb = 0;
  };
  Load load(const Device& device) const;

 private:
  void* library_ = nullptr;
};

}  // namespace roost
