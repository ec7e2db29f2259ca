#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roost {

// A GPU, or an instance of one that is divided, that work can be given.
struct Gpu {
  std::string id;       // as CUDA_VISIBLE_DEVICES names it: a UUID, or a number where there are none
  std::string name;
  std::int64_t memory_mb = 0;
  int index = 0;        // of the GPU it is or belongs to, as numbers in CUDA_VISIBLE_DEVICES count
};

// Those of `all` that a process may use whose CUDA_VISIBLE_DEVICES is `variable`, in its order. As CUDA reads it: numbers,
// UUIDs or unique beginnings of such, with commas between them; the first that names nothing ends the list.
std::vector<Gpu> visible_gpus(const std::vector<Gpu>& all, std::string_view variable);

// The same where only the names are known: a number is a place in `ids`.
std::vector<std::string> narrow_gpus(const std::vector<std::string>& ids, std::string_view variable);

}  // namespace roost
