#include "domain/visible_gpus.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace roost {
namespace {

std::vector<const Gpu*> named_by(const std::vector<Gpu>& all, std::string_view word) {
  std::vector<const Gpu*> found;
  int number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool is_number = error == std::errc() && end == word.data() + word.size();
  for (const auto& gpu : all) {
    if (gpu.id == word) return {&gpu};
    const bool begins = word.size() > 4 && gpu.id.starts_with(word);
    if (is_number ? gpu.index == number : begins) found.push_back(&gpu);
  }
  // A beginning must be unique; the number of a divided GPU means all its instances.
  if (!is_number && found.size() > 1) return {};
  return found;
}

}  // namespace

std::vector<Gpu> visible_gpus(const std::vector<Gpu>& all, std::string_view variable) {
  std::vector<Gpu> visible;
  for (const auto& part : split(std::string(variable), ',')) {
    const auto found = named_by(all, trim(part));
    if (found.empty()) break;
    for (const Gpu* gpu : found) {
      const bool again = std::any_of(visible.begin(), visible.end(), [&](const Gpu& other) { return other.id == gpu->id; });
      if (!again) visible.push_back(*gpu);
    }
  }
  return visible;
}

std::vector<std::string> narrow_gpus(const std::vector<std::string>& ids, std::string_view variable) {
  std::vector<Gpu> all;
  for (const auto& id : ids) all.push_back({id, "", 0, static_cast<int>(all.size())});
  std::vector<std::string> names;
  for (const auto& gpu : visible_gpus(all, variable)) names.push_back(gpu.id);
  return names;
}

}  // namespace roost
