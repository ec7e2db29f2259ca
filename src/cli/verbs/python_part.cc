#include "cli/verbs/python_part.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "cli/work/source_folder.h"
#include "client/api_client.h"
#include "runner/sdk.h"

namespace roost {
namespace {

constexpr const char* kUsualPython = "/usr/bin/python3";

std::string choose_python(const std::string& named) {
  if (!named.empty()) return named;
  return access(kUsualPython, X_OK) == 0 ? kUsualPython : "python3";
}

}  // namespace

Result<int> become_python(Console& console, const PythonPart& part) {
  const auto address = console.address();
  if (!address && part.needs_server) return fail(address.error());
  std::filesystem::path cache = cache_folder();
  if (cache.empty()) cache = data_folder(console.data());
  ROOST_TRY(const std::filesystem::path sdk, unpack_sdk(cache));
  const std::string python = choose_python(part.python);
  // By its file: with -m Python would look for modules in the current folder first, and run them.
  std::vector<std::string> words = {python, sdk / part.file};
  words.insert(words.end(), part.words.begin(), part.words.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  setenv("PYTHONPATH", sdk.c_str(), 1);
  unsetenv("PYTHONHOME");
  if (!part.python.empty()) unsetenv("VIRTUAL_ENV");  // whose Python is the user's unless another is named
  if (!console.data().empty()) setenv("ROOST_DATA", console.data().c_str(), 1);
  if (address) {
    setenv("ROOST_URL", address->url.c_str(), 1);
    setenv("ROOST_TOKEN", address->token.c_str(), 1);
    if (!address->ca_file.empty()) setenv("ROOST_CA_FILE", address->ca_file.c_str(), 1);
  }
  execvp(argv[0], argv.data());
  return fail(ErrorCode::kNotFound,
              fmt::format("cannot start {} ({}); this verb needs Python 3.8 or newer: install it, "
                          "or name one by --python",
                          python, std::strerror(errno)));
}

}  // namespace roost
