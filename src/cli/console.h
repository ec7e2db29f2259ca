#pragma once

#include <memory>
#include <string>

#include "base/json.h"
#include "cli/command_line.h"
#include "cli/show/style.h"
#include "client/api_client.h"

namespace roost {

// What every verb has at hand: the options of every verb, the connection to the server (made when
// first needed) and how to print. Owned by main(); not thread-safe.
class Console {
 public:
  void register_options(Verb& root);

  Result<ServerAddress> address() const;
  Result<ApiClient*> client();
  // The next client() looks the address up anew: a restarted server may have another port.
  void forget_client() { client_.reset(); }

  bool json() const { return json_; }
  const std::string& data() const { return data_; }
  const std::string& workspace() const { return workspace_; }
  // Whether the server is the one of this machine's data folder.
  bool is_local() const;
  // Path below /api/v1, for "/workspaces/<name><rest>".
  std::string in_workspace(const std::string& rest) const;

  Style out() const { return Style(colour(1)); }
  Style err() const { return Style(colour(2)); }
  bool colour(int fd) const { return wants_colour(fd, no_color_); }

  // One JSON document on standard output.
  static int print_json(const Json& document);
  static int print(const std::string& text);

 private:
  bool json_ = false;
  std::string server_;
  std::string token_;
  std::string data_;
  std::string workspace_ = "default";
  bool no_color_ = false;
  std::unique_ptr<ApiClient> client_;
};

}  // namespace roost
