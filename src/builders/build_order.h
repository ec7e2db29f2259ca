#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "domain/environment_plan.h"

namespace roost {

// What an operator sets for all builds. docs/environments.md explains each.
struct BuildSettings {
  std::string python;               // used where a definition asks for no version
  std::vector<std::string> pythons;  // further interpreters, besides those found on the machine
  std::string index_url;            // in place of pip's own
  std::string wheels;               // a folder of wheels looked at first
  std::vector<std::string> channels;  // of conda, in place of those of a definition
  bool offline = false;             // only the folder of wheels, and channels that are folders
  std::string registry;             // where finished images are pushed to and looked for: "host:port"
  bool registry_insecure = false;   // plain HTTP, or a certificate that nobody knows
  std::string uv;                   // the program uv; "" looks for it and fetches it once, "none" is pip alone
  std::string tools;                // a folder for programs that are fetched once; "" fetches none
  std::string cache;                // what was downloaded, for all environments; "" is the user's own
  std::string gpu = "auto";         // whether packages are for GPUs: "auto" asks this machine; "yes", "no"
  Pins pins = Pins::kNearest;
};
Json build_settings_json(const BuildSettings& settings);
BuildSettings build_settings_from(const Json& json);

// One build: the plan, and a folder of its own which does not exist yet.
struct BuildOrder {
  EnvironmentPlan plan;
  std::vector<std::string> lock;  // exact versions of an earlier build; then these and no others
  std::string folder;
  BuildSettings settings;
};
Json build_order_json(const BuildOrder& order);
BuildOrder build_order_from(const Json& json);

struct BuiltEnvironment {
  std::string builder;               // "venv", "conda", "image"
  std::string reason;                // why this builder
  std::string python;                // the interpreter to start scripts with; of an image its root folder
  std::string image;                 // of an image: its id
  Json inside;                       // of an image, what a runner needs: {"root", "python", "variables"}
  std::vector<std::string> lock;     // "name==version", sorted
  std::vector<std::string> changes;  // what `pins: nearest` replaced, in words
  std::vector<std::string> notes;    // what else its runs are told
};
Json built_json(const BuiltEnvironment& built);
BuiltEnvironment built_from(const Json& json);

// Where the lines of the build log go.
using BuildLog = std::function<void(std::string_view line)>;

// Chooses a builder, tells which and why, builds. The error's message is the one line that matters:
// which package, which version, which there are.
Result<BuiltEnvironment> build_environment(const BuildOrder& order, const BuildLog& log);

}  // namespace roost
