#include "cli/work/model_job.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/work/environment_reference.h"
#include "cli/work/follow.h"
#include "cli/work/run_spec.h"
#include "cli/work/source_folder.h"
#include "cli/work/submit.h"
#include "client/snapshot_transport.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr const char* kInput = "roost_model";

// A word of the shell line; what stands for the folder of an input is left to the shell.
std::string shell_word(const std::string& word) {
  for (const auto& [mark, input] : {std::pair("$ROOST_MODEL", kInput), std::pair("$ROOST_DATA", "roost_data")}) {
    if (!word.starts_with(mark)) continue;
    const std::string rest = word.substr(std::string_view(mark).size());
    return fmt::format("\"$AZUREML_DATAREFERENCE_{}\"{}", input, rest.empty() ? "" : shell_quote(rest));
  }
  return shell_quote(word);
}

std::string job_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

bool can_be_repeated(const Json& run) { return run.is_object() && text_field(run, "type") != "interactive"; }

Status set_environment(const ModelJob& job, const Json& before, Json& spec) {
  if (!job.environment.empty()) {
    ROOST_TRY(const EnvironmentReference reference, parse_environment_reference(job.environment));
    spec["environment"] = {{"name", reference.name}};
    if (!reference.version.empty()) spec["environment"]["version"] = reference.version;
  } else if (!job.python.empty()) {
    spec["environment"] = {{"python", job.python}};
  } else if (!job.alone && child(before, "environment").is_object()) {
    spec["environment"] = before["environment"];
  } else if (const std::string python = active_python(); !python.empty() && !job.alone) {
    spec["environment"] = {{"python", python}};
  }
  return {};
}

}  // namespace

Result<Json> model_job_spec(const ModelJob& job) {
  Json before;
  if (can_be_repeated(job.made_by)) {
    ROOST_TRY(before, spec_to_repeat(job.made_by));
  }
  const std::string id = text_field(job.model, "id");
  const std::string experiment = text_field(job.model, "experiment");
  Json spec = {{"experiment", experiment.empty() ? job.kind : experiment},
               {"display_name", job.kind + " " + id},
               {"command", job_line(job.command)},
               {"tags", {{"roost", job.kind}}}};
  ROOST_CHECK(set_environment(job, before, spec));
  if (!job.alone) {
    for (const char* name : {"environment_variables", "secrets", "compute", "snapshot"}) {
      if (const Json& value = child(before, name); !value.is_null()) spec[name] = value;
    }
  }
  if (!job.compute.empty()) spec["compute"] = job.compute;
  if (!job.snapshot.empty()) spec["snapshot"] = job.snapshot;
  // Where a service has its models too, so that one script can do for both.
  const std::string place = fmt::format("azureml-models/{}/{}", text_field(job.model, "name"), text_field(job.model, "version"));
  spec["inputs"] = Json::array({{{"name", kInput}, {"content", text_field(job.model, "content")}, {"path", place}}});
  for (const Json& input : job.inputs) spec["inputs"].push_back(input);
  spec["properties"] = job.properties;
  spec["properties"]["model"] = id;
  return spec;
}

std::string script_of(const Json& run) {
  const Json& spec = child(run, "spec");
  if (const std::string script = text_field(spec, "script"); !script.empty()) return script;
  std::string word;
  const std::string command = text_field(spec, "command") + " ";
  for (const char c : command) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\'' && c != '"' && c != ';') {
      word += c;
      continue;
    }
    if (word.ends_with(".py")) return word;
    word.clear();
  }
  return "";
}

Result<Json> run_of_model(Console& console, const Json& model) {
  const std::string id = text_field(model, "run");
  if (id.empty()) return Json();
  ROOST_TRY(ApiClient * client, console.client());
  auto run = client->get("/runs/" + percent_encode(id));
  if (!run && run.error().code == ErrorCode::kNotFound) return Json();
  return run;
}

Result<std::string> upload_code(Console& console, const std::string& folder) {
  ROOST_TRY(const ScannedTree tree, scan_source(folder));
  ROOST_CHECK(upload_source(console, tree));
  return tree.digest;
}

Result<Json> do_model_job(Console& console, const Json& spec, InterruptWatch& watch) {
  ROOST_TRY(const Json run, post_run(console, console.workspace(), spec));
  const std::string id = text_field(run, "id");
  std::fprintf(stderr, "%s\n", console.err()(Tone::kDim, "run " + id).c_str());
  return follow_beside(console, id, watch);
}

}  // namespace roost
