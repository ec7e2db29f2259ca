#include "cli/contexts.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/settings.h"
#include "confine/private_folder.h"
#include "domain/names.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::string_view kSuffix = ".json";

fs::path contexts_folder() { return settings_folder() / "contexts"; }

// Also what keeps a name from leading out of the folder.
Status check_name(const std::string& name) { return check_registry_name(name, "a context"); }

}  // namespace

Result<Context> read_context(const std::string& name) {
  ROOST_CHECK(check_name(name));
  const std::string path = contexts_folder() / (name + std::string(kSuffix));
  const auto text = read_file(path);
  if (!text && text.error().code == ErrorCode::kNotFound) {
    return fail(ErrorCode::kNotFound, fmt::format("there is no context \"{}\"; there is {}. `roost login URL --name {}` makes it", name,
                                                  fmt::join([] {
                                                    auto names = context_names();
                                                    names.insert(names.begin(), kLocalContext);
                                                    return names;
                                                  }(), ", "),
                                                  name));
  }
  if (!text) return fail(text.error());
  ROOST_TRY(const Json document, parse_json(*text, path));
  JsonFields fields(document, path);
  Context context;
  context.name = name;
  context.url = fields.string("url");
  context.token = fields.string("token");
  context.ca_file = fields.string("ca_file");
  context.workspace = fields.string("workspace");
  ROOST_CHECK(fields.done());
  return context;
}

Status write_context(const Context& context) {
  ROOST_CHECK(check_name(context.name));
  if (context.name == kLocalContext) {
    return fail(ErrorCode::kInvalidArgument, "\"local\" is the server of this machine; give another name with --name");
  }
  if (settings_folder().empty()) {
    return fail(ErrorCode::kFailedPrecondition, "there is no place for contexts: neither HOME nor XDG_CONFIG_HOME is set");
  }
  ROOST_CHECK(make_folders(settings_folder().parent_path()));
  ROOST_CHECK(make_private_folder(settings_folder()));
  ROOST_CHECK(make_private_folder(contexts_folder()));
  Json document = {{"url", context.url}, {"token", context.token}};
  if (!context.ca_file.empty()) document["ca_file"] = context.ca_file;
  if (!context.workspace.empty()) document["workspace"] = context.workspace;
  return write_file_atomic(contexts_folder() / (context.name + std::string(kSuffix)), document.dump(2) + "\n", 0600);
}

Status remove_context(const std::string& name) {
  ROOST_CHECK(read_context(name));
  std::error_code error;
  fs::remove(contexts_folder() / (name + std::string(kSuffix)), error);
  if (error) return fail_errno(error.value(), "remove the context " + name);
  return {};
}

std::vector<std::string> context_names() {
  std::vector<std::string> names;
  std::error_code error;
  if (settings_folder().empty()) return names;
  for (const auto& entry : fs::directory_iterator(contexts_folder(), error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kSuffix)) names.push_back(name.substr(0, name.size() - kSuffix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace roost
