#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "domain/resource_ask.h"

namespace roost {

// Data laid out before the start: a stored manifest, and where its files go.
struct RunInput {
  std::string name;     // AZUREML_DATAREFERENCE_<name>, and <name> itself, tell the script the path
  std::string content;  // digest of the manifest
  std::string mode = "download";  // or "mount", or "direct": <name> tells the dataset instead
  std::string path;     // absolute, or below the working folder; "" is a folder of the run's own
  std::string file;     // the one file of the content that the path is to be, not its folder
  std::string dataset;  // id of the dataset that the content was, if it was one
};

// What someone asked to run, checked. `command` is a shell line, or `script` and `arguments` are a
// Python program; exactly one of the two is set.
// An interactive run has neither: it is a record that some process elsewhere reports to.
struct RunSpec {
  std::string experiment;
  std::string subscription_id;  // what the submitter's config.json said: the script is told the same
  std::string resource_group;
  bool interactive = false;
  std::string display_name;
  std::optional<std::string> snapshot;
  std::string script;
  std::vector<std::string> arguments;
  std::string command;
  std::string compute = "local";
  Json environment = Json::object();  // {"name", "version", "pins", "lock", "python", "variables"}, all optional
  Json environment_variables = Json::object();
  std::vector<std::string> sealed_variables;  // of these, secrets whatever they are called
  Json secrets = Json::object();  // variable -> name of a secret of the workspace
  std::vector<RunInput> inputs;
  Json distributed;  // null or {"kind", ...}: how to start many processes
  std::int64_t node_count = 1;
  ResourceAsk resources;  // of each node
  std::int64_t priority = 0;
  std::optional<std::int64_t> max_run_duration_seconds;
  std::int64_t max_retries = 0;
  Json tags = Json::object();
  Json properties = Json::object();
  Json git;  // null or {"repository_uri", "branch", "commit", "dirty"}
  std::optional<std::string> parent;
  std::vector<std::string> notify;  // who is told of what happens to it: "CHANNEL" or "CHANNEL:failure,hang"
  // What only the server itself says; in no body.
  std::string id;         // "" is a new one
  bool is_sweep = false;  // the parent of runs that this spec is tried in
  bool is_replica = false;  // of an endpoint
};

// From untrusted JSON: wrong types, unknown fields and values out of range are refused by name.
Result<RunSpec> parse_run_spec(const Json& body);
Json run_spec_json(const RunSpec& spec);

// Tags and properties: at most 50, keys up to 100 bytes, values up to 1000.
Status check_labels(const Json& labels, std::string_view what);

}  // namespace roost
