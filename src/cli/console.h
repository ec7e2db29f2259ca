#pragma once

#include <memory>
#include <string>

#include "base/json.h"
#include "cli/command_line.h"
#include "cli/settings.h"
#include "cli/show/output_form.h"
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

  // Whether the answer goes to a program: print_json() has the form that was asked for, be it JSON, CSV or a template.
  bool json() const { return output_form().kind != OutputForm::kText; }
  // kInvalidArgument for a form that there is not; looked at before a verb does anything.
  Status check_options() const;
  // The data folder that was named, by --data or the settings of this folder; "" is the usual one.
  std::string data() const;
  std::string workspace() const;
  // What was set for good: `roost config`. `name` is one of setting_kinds().
  std::string setting(const std::string& name) const;
  // As that, with where it is from; also what the options of every verb say.
  FoundSetting explain(const std::string& name) const;
  // The context that calls go to: "local" for the server of this machine, "" for an address that was given.
  std::string context() const;
  // Whether the server is the one of this machine's data folder.
  bool is_local() const;
  const std::string& token() const { return token_; }  // as --token gives it
  // Path below /api/v1, for "/workspaces/<name><rest>".
  std::string in_workspace(const std::string& rest) const;

  Style out() const { return Style(colour(1)); }
  Style err() const { return Style(colour(2)); }
  bool colour(int fd) const { return wants_colour(fd, no_color_); }

  // One JSON document on standard output, or what --output made of it.
  int print_json(const Json& document) const;
  static int print(const std::string& text);

 private:
  OutputForm output_form() const;
  Result<ServerAddress> find_address() const;

  bool json_ = false;
  std::string output_;
  std::string server_;
  std::string token_;
  std::string data_;
  std::string workspace_;
  std::string context_;
  bool no_color_ = false;
  std::unique_ptr<ApiClient> client_;
};

}  // namespace roost
