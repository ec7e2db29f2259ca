#include "runner/own_program.h"

#include <link.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "runner/scratch_file.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::string_view kPlace = "/roost-program";
constexpr const char* kOnnxRuntime = "libonnxruntime.so.1";
constexpr std::string_view kReplaced = " (deleted)";
// What ONNX Runtime wants besides, if this program has it inside.
constexpr std::array kBesides = {"libstdc++.so.6", "libgcc_s.so.1", "libdl.so.2", "libpthread.so.0", "librt.so.1"};

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// The shared libraries of this process, its loader among them.
std::set<fs::path> own_libraries() {
  std::set<fs::path> found;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        if (info->dlpi_name && info->dlpi_name[0] == '/') static_cast<std::set<fs::path>*>(into)->insert(info->dlpi_name);
        return 0;
      },
      &found);
  for (const fs::path& path : std::set<fs::path>(found)) {
    if (path.filename() != "libc.so.6") continue;
    for (const char* name : kBesides) {
      if (is_file(path.parent_path() / name)) found.insert(path.parent_path() / name);
    }
  }
  return found;
}

bool is_loader(const fs::path& path) { return path.filename().string().starts_with("ld-"); }

}  // namespace

OwnProgram own_program() {
  OwnProgram program;
  std::error_code error;
  std::string path = fs::read_symlink("/proc/self/exe", error).string();
  // It may have been replaced by a newer one since this process began.
  if (path.ends_with(kReplaced)) path.resize(path.size() - kReplaced.size());
  program.path = path;
  std::vector<fs::path> places;
  if (const char* said = std::getenv("ROOST_ONNXRUNTIME"); said && *said) {
    places = {fs::is_directory(said, error) ? fs::path(said) / kOnnxRuntime : fs::path(said)};
  } else {
    const fs::path folder = program.path.parent_path();
    places = {folder / "../lib/roost" / kOnnxRuntime, folder / "../../../onnxruntime" / kOnnxRuntime};
  }
  for (const fs::path& place : places) {
    if (!program.onnxruntime.empty() || !is_file(place)) continue;
    program.onnxruntime = place.lexically_normal();
  }
  return program;
}

void add_own_program(const OwnProgram& program, Variables& variables) {
  variables["ROOST_PROGRAM"] = program.path.string();
  if (!program.onnxruntime.empty()) variables["ROOST_ONNXRUNTIME"] = program.onnxruntime.string();
}

Result<ProgramInImage> program_in_image(const OwnProgram& program, const fs::path& folder) {
  ProgramInImage made;
  const auto bind = [&](const fs::path& source, const std::string& name) {
    std::error_code error;
    const fs::path real = fs::canonical(source, error);
    made.binds.push_back({(error ? source : real).string(), fmt::format("{}/{}", kPlace, name), true, true});
  };
  std::string loader;
  for (const fs::path& library : own_libraries()) {
    const std::string name = library.filename().string();
    if (is_loader(library)) loader = name;
    bind(library, "lib/" + name);
  }
  bind(program.path, "program");
  if (!program.onnxruntime.empty()) {
    bind(program.onnxruntime, fmt::format("lib/{}", kOnnxRuntime));
    made.onnxruntime = fmt::format("{}/lib/{}", kPlace, kOnnxRuntime);
  }
  // A program without shared libraries needs no loader.
  const std::string start = loader.empty() ? fmt::format("{}/program", kPlace)
                                           : fmt::format("{0}/lib/{1} --library-path {0}/lib {0}/program", kPlace, loader);
  const fs::path script = folder / "start-program";
  ROOST_CHECK(write_scratch_file(script, fmt::format("#!/bin/sh\nexec {} \"$@\"\n", start)));
  if (::chmod(script.c_str(), 0755) != 0) return fail_errno(errno, "make " + script.string() + " a program");
  made.start = fmt::format("{}/roost", kPlace);
  made.binds.push_back({script.string(), made.start, true, true});
  return made;
}

}  // namespace roost
