#include "builders/gpu.h"

#include <algorithm>
#include <filesystem>

#include "builders/requirement.h"

namespace roost {

bool wants_gpu(const BuildSettings& settings) {
  if (settings.gpu != "auto") return settings.gpu == "yes";
  std::error_code error;
  return std::filesystem::exists("/dev/nvidiactl", error) || std::filesystem::exists("/dev/nvidia0", error);
}

std::vector<std::string> no_cuda_constraints() {
  std::vector<std::string> lines = {"nvidia-cublas<0", "nvidia-cudnn<0", "cuda-toolkit<0"};
  for (const char* line : {"cu11", "cu12", "cu13", "cu14"}) {
    for (const char* name : {"nvidia-cublas-", "nvidia-cudnn-"}) lines.push_back(std::string(name) + line + "<0");
  }
  return lines;
}

std::vector<std::string> no_cuda_excludes() {
  return {"nvidia-nccl-cu11", "nvidia-nccl-cu12", "nvidia-nccl-cu13", "nvidia-nccl-cu14"};
}

std::vector<std::string> torch_names() { return {"torch", "torchvision", "torchaudio", "torchtext"}; }

std::vector<std::string> torch_modules(const std::vector<std::string>& lock) {
  std::vector<std::string> found;
  for (const std::string& name : torch_names()) {
    if (std::any_of(lock.begin(), lock.end(), [&](const std::string& line) { return parse_requirement(line).name == name; })) {
      found.emplace_back(name);
    }
  }
  return !found.empty() && found.front() == "torch" ? found : std::vector<std::string>();
}

}  // namespace roost
