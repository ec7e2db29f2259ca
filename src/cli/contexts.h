#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "client/api_client.h"

namespace roost {

// A server that this user logged in to: a file of its own in contexts/ of the settings folder, which only the user can read.
struct Context {
  std::string name;
  std::string url;
  std::string token;
  std::string ca_file;
  std::string workspace;  // "" is that of the settings

  ServerAddress address() const { return {url, token, ca_file, ""}; }
};

// The name of the server of this machine's data folder; no file has it.
inline constexpr const char* kLocalContext = "local";

// kNotFound, with what there is, if nobody logged in under this name.
Result<Context> read_context(const std::string& name);
Status write_context(const Context& context);
Status remove_context(const std::string& name);
// Sorted, without kLocalContext.
std::vector<std::string> context_names();

}  // namespace roost
