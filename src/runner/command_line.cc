#include "runner/command_line.h"

#include <unistd.h>

#include <cctype>
#include <cerrno>

#include "base/files.h"
#include "runner/image_root.h"

extern char** environ;

namespace fs = std::filesystem;

namespace roost {
namespace {

std::size_t name_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const auto c = static_cast<unsigned char>(text[length]);
    if (c != '_' && std::isalpha(c) == 0 && (length == 0 || std::isdigit(c) == 0)) break;
    ++length;
  }
  return length;
}

}  // namespace

std::string expand_variables(std::string_view text, const Variables& variables) {
  std::string out;
  while (!text.empty()) {
    const std::size_t dollar = text.find('$');
    out += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar);
    const bool braced = text.size() > 1 && text[1] == '{';
    const std::size_t start = braced ? 2 : 1;
    const std::size_t length = name_length(text.substr(start));
    const std::size_t end = start + length + (braced ? 1 : 0);
    const auto value = variables.find(std::string(text.substr(start, length)));
    const bool whole = length > 0 && (!braced || (start + length < text.size() && text[start + length] == '}'));
    if (whole && value != variables.end()) {
      out += value->second;
      text.remove_prefix(end);
    } else {
      out += '$';
      text.remove_prefix(1);
    }
  }
  return out;
}

std::vector<std::string> order_program(const Json& order, const Variables& variables) {
  if (const std::string command = text_at(order, "command"); !command.empty()) {
    const std::string root = text_at(member(order, "image"), "root");
    const bool has_bash = root.empty() ? ::access("/bin/bash", X_OK) == 0 : is_in_image(root, "/bin/bash");
    return {has_bash ? "/bin/bash" : "/bin/sh", "-c", command};
  }
  std::vector<std::string> program = {text_at(order, "python"), text_at(order, "script")};
  for (const auto& argument : strings_at(order, "arguments")) {
    program.push_back(expand_variables(argument, variables));
  }
  return program;
}

Variables inherited_variables() {
  Variables variables;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || text.starts_with("ROOST_") || text.starts_with("PYTHON") ||
        text.starts_with("AZUREML_") || text.starts_with("MLFLOW_TRACKING_") || text.starts_with("MLFLOW_RUN_ID=") ||
        text.starts_with("MLFLOW_EXPERIMENT_") || text.starts_with("VIRTUAL_ENV=")) {
      continue;
    }
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

Variables image_variables(const Json& image, const std::string& home) {
  Variables variables;
  for (const auto& [name, value] : inherited_variables()) {
    const bool kept = name == "LANG" || name == "TZ" || name == "TERM" || name.starts_with("LC_") ||
                      name.starts_with("NCCL_") || name.starts_with("GLOO_") || name.ends_with("_proxy") ||
                      name.ends_with("_PROXY");
    if (kept) variables[name] = value;
  }
  variables["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const Json of_image = object_at(image, "variables");
  for (const auto& item : of_image.items()) {
    if (item.value().is_string()) variables[item.key()] = item.value();
  }
  variables["HOME"] = home;
  variables["USER"] = variables["LOGNAME"] = "roost";
  return variables;
}

namespace {

// The folder may be that of an earlier run.
Status link_to(const std::string& target, const fs::path& link) {
  char now[4096];
  const ssize_t size = ::readlink(link.c_str(), now, sizeof now);
  if (size > 0 && std::string_view(now, static_cast<std::size_t>(size)) == target) return {};
  ::unlink(link.c_str());
  if (::symlink(target.c_str(), link.c_str()) != 0) return fail_errno(errno, "make " + link.string());
  return {};
}

Status link_programs(const std::string& python, const std::string& pip, const fs::path& shims) {
  for (const char* name : {"python", "python3"}) ROOST_CHECK(link_to(python, shims / name));
  for (const char* name : {"pip", "pip3"}) ROOST_CHECK(link_to(pip, shims / name));
  return {};
}

}  // namespace

Status link_python(const std::string& python, const fs::path& shims, const fs::path& pip, Variables& variables) {
  ROOST_CHECK(make_folders(shims));
  if (python.empty()) return {};
  ROOST_CHECK(link_programs(python, pip, shims));
  auto& path = variables["PATH"];
  path = fs::path(python).parent_path().string() + ":" + path + ":" + shims.string();
  return {};
}

Status prefer_python(const std::string& python, const fs::path& shims, const fs::path& pip, Variables& variables) {
  if (python.empty()) return {};
  ROOST_CHECK(make_folders(shims));
  ROOST_CHECK(link_programs(python, pip, shims));
  prefer_programs(shims, variables);
  const fs::path folder = fs::path(python).parent_path();
  if (::access((folder / "python").c_str(), X_OK) == 0) prefer_programs(folder, variables);
  return {};
}

void prefer_programs(const fs::path& folder, Variables& variables) {
  auto& path = variables["PATH"];
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  path = folder.string() + ":" + path;
}

}  // namespace roost
