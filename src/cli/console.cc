#include "cli/console.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cli/contexts.h"
#include "net/router.h"

namespace roost {

void Console::register_options(Verb& root) {
  root.flag("--json", json_, "print the API's JSON, for machines (streams as one document a line)");
  root.option("-o,--output", output_, "FORM", "json, csv, or template='{{.id}} {{.status}}' for each of what is listed");
  root.option("--context", context_, "NAME", "one of the servers of `roost context ls` (or ROOST_CONTEXT)");
  root.option("--server", server_, "URL", "address of the server, instead of the one on this machine");
  root.option("--token", token_, "TOKEN", "what opens it; better kept by `roost login` or in ROOST_TOKEN");
  root.option("--data", data_, "DIR", "data folder of the server (default: ~/.local/share/roost)");
  root.option("-w,--workspace", workspace_, "NAME", "workspace to work in (default: default)");
  root.flag("--no-color", no_color_, "no colours; NO_COLOR does the same");
}

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::filesystem::path here() {
  std::error_code error;
  return std::filesystem::current_path(error);
}

// Of this folder only: the variable and what counts everywhere are looked at apart.
bool is_of_folder(const FoundSetting& found) { return found.origin.starts_with('/'); }

}  // namespace

OutputForm Console::output_form() const {
  if (json_) return {OutputForm::kJson, ""};
  return parse_output_form(output_).value_or(OutputForm{});
}

Status Console::check_options() const {
  if (!output_.empty()) ROOST_CHECK(parse_output_form(output_));
  ROOST_CHECK(read_settings());
  return {};
}

FoundSetting Console::explain(const std::string& name) const {
  if (name == "workspace" && !workspace_.empty()) return {workspace_, "--workspace"};
  if (name == "data" && !data_.empty()) return {data_, "--data"};
  const auto settings = read_settings();
  if (const auto found = settings ? find_setting(*settings, name, here()) : std::nullopt) {
    if (name != "workspace" || found->origin != "everywhere") return *found;
  }
  if (name == "workspace") {
    const auto context = read_context(this->context());
    if (context && !context->workspace.empty()) return {context->workspace, "the context " + context->name};
    if (const auto found = settings ? find_setting(*settings, name, here()) : std::nullopt) return *found;
  }
  for (const SettingKind& kind : setting_kinds()) {
    if (name == kind.name) return {kind.fallback, ""};
  }
  return {"", ""};
}

std::string Console::setting(const std::string& name) const { return explain(name).value; }
std::string Console::workspace() const { return setting("workspace"); }

std::string Console::data() const {
  const FoundSetting found = explain("data");
  return found.origin == "ROOST_DATA" ? "" : found.value;
}

// From the most particular to the most general: options, variables, this folder, this user.
std::string Console::context() const {
  if (!server_.empty()) return "";
  if (!context_.empty()) return context_;
  if (!data_.empty()) return kLocalContext;
  if (!variable("ROOST_URL").empty()) return "";
  if (const std::string named = variable("ROOST_CONTEXT"); !named.empty()) return named;
  if (!variable("ROOST_DATA").empty()) return kLocalContext;
  const auto settings = read_settings();
  if (!settings) return kLocalContext;
  if (const auto found = find_setting(*settings, "data", here()); found && is_of_folder(*found)) return kLocalContext;
  return settings->context.empty() ? kLocalContext : settings->context;
}

Result<ServerAddress> Console::find_address() const {
  ROOST_CHECK(read_settings());
  if (server_.empty()) {
    const std::string name = context();
    if (name == kLocalContext) return find_server(data().empty() ? data_folder() : data());
    if (name.empty()) return find_server();
    ROOST_TRY(const Context context, read_context(name));
    return context.address();
  }
  ServerAddress address{server_, "", variable("ROOST_CA_FILE")};
  if (token_.empty()) address.token = variable("ROOST_TOKEN");
  // The server of this machine, named by its address: its token is at hand.
  if (const auto local = read_server_file(data_folder(data()) + "/server.json"); local && local->url == server_) {
    if (address.token.empty()) address.token = local->token;
    if (address.ca_file.empty()) address.ca_file = local->ca_file;
  }
  return address;
}

Result<ServerAddress> Console::address() const {
  auto address = find_address();
  if (address && !token_.empty()) address->token = token_;
  return address;
}

bool Console::is_local() const {
  // Whatever became of the token that lies beside it.
  const auto local = read_server_file(data_folder(data()) + "/server.json", "not read");
  const auto used = address();
  return local && used && local->url == used->url;
}

Result<ApiClient*> Console::client() {
  if (!client_) {
    ROOST_TRY(ServerAddress found, address());
    client_ = std::make_unique<ApiClient>(std::move(found));
  }
  return client_.get();
}

std::string Console::in_workspace(const std::string& rest) const {
  return "/workspaces/" + percent_encode(workspace()) + rest;
}

int Console::print_json(const Json& document) const { return print(output_text(output_form(), document)); }

int Console::print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace roost
