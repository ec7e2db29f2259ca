#include "cli/work/shell_python.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/work/run_program.h"
#include "cli/work/source_folder.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

// What "python" means in this shell; "" if nothing.
fs::path python_on_path() {
  const char* path = std::getenv("PATH");
  for (const char* name : {"python", "python3"}) {
    for (const std::string& folder : split(path ? path : "", ':')) {
      const fs::path program = fs::path(folder) / name;
      if (!folder.empty() && access(program.c_str(), X_OK) == 0) return program;
    }
  }
  return "";
}

std::string version_of(const fs::path& python) {
  const auto said = run_program({python.string(), "-c", "import platform; print(platform.python_version())"}, ".", {});
  return said && said->exit_code == 0 ? std::string(trim(said->text)) : "";
}

// Whether this was said before; from now on it was.
bool was_said(const std::string& pair) {
  if (cache_folder().empty()) return false;
  const fs::path file = cache_folder() / "pythons-told";
  const std::string told = read_file(file).value_or("");
  for (const std::string& line : split(told, '\n')) {
    if (line == pair) return true;
  }
  // Where it cannot be kept it is said again: no harm.
  if (make_folders(cache_folder())) (void)write_file_atomic(file, told + pair + "\n");
  return false;
}

}  // namespace

void note_other_python(Console& console) {
  const auto client = console.client();
  if (!client || !console.is_local()) return;
  const auto server = (*client)->get("/server");
  if (!server) return;
  const fs::path theirs = text_field(*server, "python");
  const fs::path ours = python_on_path();
  std::error_code error;
  if (theirs.empty() || ours.empty() || fs::canonical(theirs, error) == fs::canonical(ours, error)) return;
  if (was_said(fmt::format("{} {}", theirs.string(), ours.string()))) return;
  const std::string text = fmt::format(
      "note: python is {} ({}) on the server; your shell's is {} ({}). --python {} takes yours, -r requirements.txt makes one of its own",
      theirs.string(), version_of(theirs), ours.string(), version_of(ours), ours.string());
  std::fprintf(stderr, "%s\n", console.err()(Tone::kYellow, text).c_str());
}

}  // namespace roost
