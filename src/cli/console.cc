#include "cli/console.h"

#include <cstdio>
#include <cstdlib>

#include "net/router.h"

namespace roost {

void Console::register_options(Verb& root) {
  root.flag("--json", json_, "print the API's JSON, for machines (streams as one document a line)");
  root.option("--server", server_, "URL",
              "address of the server, instead of the one on this machine");
  root.option("--token", token_, "TOKEN", "what opens it; better kept in the variable ROOST_TOKEN");
  root.option("--data", data_, "DIR", "data folder of the server (default: ~/.local/share/roost)");
  root.option("-w,--workspace", workspace_, "NAME", "workspace to work in (default: default)");
  root.flag("--no-color", no_color_, "no colours; NO_COLOR does the same");
}

Result<ServerAddress> Console::address() const {
  if (server_.empty()) {
    auto address = find_server(data_);
    if (address && !token_.empty()) address->token = token_;
    return address;
  }
  ServerAddress address{server_, token_, ""};
  if (const char* ca = std::getenv("ROOST_CA_FILE")) address.ca_file = ca;
  const char* token = std::getenv("ROOST_TOKEN");
  if (address.token.empty() && token) address.token = token;
  // The server of this machine, named by its address: its token is at hand.
  if (const auto local = read_server_file(data_folder(data_) + "/server.json");
      local && local->url == server_) {
    if (address.token.empty()) address.token = local->token;
    if (address.ca_file.empty()) address.ca_file = local->ca_file;
  }
  return address;
}

bool Console::is_local() const {
  // Whatever became of the token that lies beside it.
  const auto local = read_server_file(data_folder(data_) + "/server.json", "not read");
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
  return "/workspaces/" + percent_encode(workspace_) + rest;
}

int Console::print_json(const Json& document) {
  return print(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

int Console::print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace roost
