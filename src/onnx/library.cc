#include "onnx/library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#ifdef __SANITIZE_THREAD__
// ThreadSanitizer sees what the library's threads do to memory, but not how they agree about it: it was built without.
extern "C" const char* __tsan_default_suppressions() { return "race:libonnxruntime.so\n"; }
#endif

namespace roost {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "libonnxruntime.so.1";

std::string program_path() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).string();
}

std::string variable() {
  const char* value = std::getenv("ROOST_ONNXRUNTIME");
  return value == nullptr ? "" : value;
}

Result<OrtLibrary> open_at(const std::string& path) {
  // Never closed: the library keeps threads and tables until the process ends.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail(ErrorCode::kFailedPrecondition, dlerror());
  using GetBase = const ort::OrtApiBase* (*)();
  const auto get_base = reinterpret_cast<GetBase>(dlsym(library, "OrtGetApiBase"));
  if (get_base == nullptr)
    return fail(ErrorCode::kFailedPrecondition, path + " is not ONNX Runtime: it has no OrtGetApiBase");
  const ort::OrtApiBase* base = get_base();
  const ort::OrtApi* api = base->GetApi(ort::kApiVersion);
  if (api == nullptr) {
    return fail(ErrorCode::kFailedPrecondition, fmt::format("{} is ONNX Runtime {}, which is too old: 1.{} is needed",
                                                            path, base->GetVersionString(), ort::kApiVersion));
  }
  return OrtLibrary{api, base->GetVersionString(), path};
}

}  // namespace

std::vector<std::string> onnxruntime_places(const std::string& wanted, const std::string& variable,
                                            const std::string& program) {
  const std::string& said = wanted.empty() ? variable : wanted;
  if (!said.empty()) {
    std::error_code error;
    return {fs::is_directory(said, error) ? (fs::path(said) / kFileName).string() : said};
  }
  std::vector<std::string> places;
  const fs::path folder = fs::path(program).parent_path();
  if (!folder.empty()) {
    places.push_back((folder / "../lib/roost" / kFileName).lexically_normal().string());
    // Programs are built in build/release/src/cli and build/release/bench.
    for (const char* up : {"../../..", "../.."})
      places.push_back((folder / up / "onnxruntime" / kFileName).lexically_normal().string());
  }
  places.emplace_back(kFileName);  // as the loader finds it
  return places;
}

Result<OrtLibrary> open_onnxruntime(const std::string& wanted) {
  std::string tried;
  for (const std::string& place : onnxruntime_places(wanted, variable(), program_path())) {
    std::error_code error;
    if (place.find('/') != std::string::npos && !fs::exists(place, error)) {
      tried += (tried.empty() ? "" : ", ") + place;
      continue;
    }
    auto library = open_at(place);
    if (library || place != kFileName) return library;
    tried += (tried.empty() ? "" : ", ") + std::string("the system's libraries");
  }
  return fail(
      ErrorCode::kFailedPrecondition,
      fmt::format(
          "ONNX Runtime is not there (looked at {}); run tools/onnxruntime in the source folder to fetch it, or set "
          "ROOST_ONNXRUNTIME to the path of a {}",
          tried, kFileName));
}

}  // namespace roost
