// What Slurm's programs and nvidia-smi print: any bytes must do, and no answer may be empty where people wait for words.
#include <cstdlib>
#include <string>
#include <string_view>

#include "compute/gpu_inventory.h"
#include "compute/slurm/slurm_text.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& job : roost::parse_squeue(text)) {
    if (job.name.empty() || job.id.empty()) std::abort();
    if (roost::pending_words(job.reason, job.nodes).empty() || roost::end_words(job).empty()) std::abort();
  }
  for (const auto& host : roost::parse_sinfo(text)) {
    if (host.name.empty()) std::abort();
  }
  if (const auto id = roost::parse_job_id(text); id && id->find_first_not_of("0123456789+") != std::string::npos) std::abort();
  roost::parse_boot_time(text);
  for (const auto& gpu : roost::gpus_of_listing(std::string(text))) {
    if (gpu.name.size() > text.size()) std::abort();
  }
  if (roost::explain_slurm_error(text).words.empty() || roost::pending_words(text, 1).empty()) std::abort();
  return 0;
}
