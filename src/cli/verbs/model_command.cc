#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/model_text.h"
#include "cli/show/progress_bar.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/model_files.h"
#include "cli/work/model_reference.h"
#include "cli/work/pages.h"
#include "cli/work/run_reference.h"
#include "client/snapshot_transport.h"
#include "domain/endpoint.h"
#include "net/router.h"
#include "snapshot/restore.h"

namespace roost {
namespace {

struct ModelOptions {
  std::string name;  // of a model; NAME or NAME:VERSION where one version is meant
  std::string path;
  std::string run;
  std::string run_path;
  std::string description;
  std::string framework;
  std::string framework_version;
  std::vector<std::string> tags;
  std::vector<std::string> properties;
  std::string output = ".";
  bool latest = false;
  bool quiet = false;
};

// `bare` is what a word without "=" is worth; nothing if there must be one.
Result<Json> parse_pairs(const std::vector<std::string>& words, const char* option,
                         const std::optional<Json>& bare) {
  Json pairs = Json::object();
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (key.empty() || (equals == std::string::npos && !bare)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} \"{}\" must be like key=value", option, printable(word)));
    }
    pairs[key] = equals == std::string::npos ? *bare : Json(word.substr(equals + 1));
  }
  return pairs;
}

Result<int> list(Console& console, const ModelOptions& options) {
  std::string query;
  const auto add = [&query](const char* key, const std::string& value) {
    if (value.empty()) return;
    query += (query.empty() ? "?" : "&") + std::string(key) + "=" + percent_encode(value);
  };
  add("name", options.name);
  for (const std::string& tag : options.tags) add("tag", tag);
  add("framework", options.framework);
  if (!options.run.empty()) {
    ROOST_TRY(const Json run, find_run(console, options.run));
    add("run", text_field(run, "id"));
  }
  if (options.latest) add("latest", "true");
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json models, all_items(*client, console.in_workspace("/models") + query));
  if (console.json()) return console.print_json(models);
  const Json& items = child(models, "items");
  if (options.quiet) {
    for (const Json& model : items) Console::print(text_field(model, "id") + "\n");
    return 0;
  }
  if (items.empty()) {
    std::fputs("no models; `roost model register` makes one\n", stderr);
    return 0;
  }
  return Console::print(model_table(items, now_micros()).text(console.out(), terminal_width(1)));
}

Result<int> show(Console& console, const ModelOptions& options) {
  ROOST_TRY(Json model, find_model(console, options.name));
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json content,
            client->get("/snapshots/" + percent_encode(text_field(model, "content"))));
  const Json& entries = child(content, "entries");
  if (console.json()) {
    model["entries"] = entries;
    return console.print_json(model);
  }
  return Console::print(model_page(model, entries, now_micros(), console.out(), terminal_width(1)));
}

Result<int> get(Console& console, const ModelOptions& options) {
  ROOST_TRY(const Json model, find_model(console, options.name));
  ROOST_TRY(ServerAddress address, console.address());
  ROOST_TRY(const auto transport, http_transports(std::move(address))());
  ROOST_TRY(const Manifest manifest, fetch_manifest(*transport, text_field(model, "content")));
  ROOST_TRY(ApiClient * client, console.client());
  std::vector<std::filesystem::path> written;
  {
    ProgressBar bar("Downloading", manifest.size, console.err(), console.json());
    ROOST_TRY(written, download_model_files(*client, manifest, options.output,
                                            [&bar](std::uint64_t more) { bar.add(more); }));
  }
  Json files = Json::array();
  for (const auto& file : written) files.push_back(file.lexically_normal().string());
  if (console.json()) {
    Json document = model;
    document["downloaded"] = files;
    return console.print_json(document);
  }
  for (const Json& file : files) Console::print(file.get<std::string>() + "\n");
  std::fprintf(stderr, "%s\n",
               console
                   .err()(Tone::kDim, fmt::format("{}: {}, SHA-256 verified",
                                                  text_field(model, "id"), model_size_text(model)))
                   .c_str());
  return 0;
}

Result<std::string> upload(Console& console, const std::string& path) {
  ROOST_TRY(const ModelFiles model, read_model_files(path));
  ROOST_TRY(ServerAddress address, console.address());
  ProgressBar bar("Uploading", 0, console.err(), console.json());
  TransferOptions options;
  options.progress = [&bar](const TransferProgress& progress) {
    bar.set_total(progress.bytes_total);
    bar.update(progress.bytes_done);
  };
  ROOST_CHECK(upload_model_files(model, http_transports(std::move(address)), options));
  return model.digest;
}

Result<int> register_version(Console& console, const ModelOptions& options) {
  if (options.path.empty() == options.run_path.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "name a file or folder of this machine, or give --run and --path for what a run "
                "left behind");
  }
  if (!options.run_path.empty() && options.run.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--path is a path in a run: name it by --run");
  }
  Json body = {{"name", options.name}};
  if (!options.description.empty()) body["description"] = options.description;
  if (!options.framework.empty()) body["framework"] = options.framework;
  if (!options.framework_version.empty()) body["framework_version"] = options.framework_version;
  ROOST_TRY(body["tags"], parse_pairs(options.tags, "--tag", Json(nullptr)));
  ROOST_TRY(body["properties"], parse_pairs(options.properties, "--property", std::nullopt));
  if (!options.run.empty()) {
    ROOST_TRY(const Json run, find_run(console, options.run));
    body["run"] = text_field(run, "id");
  }
  if (options.path.empty()) {
    body["path"] = options.run_path;
  } else {
    ROOST_TRY(body["content"], upload(console, options.path));
  }
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json model, client->post(console.in_workspace("/models"), body));
  if (console.json()) return console.print_json(model);
  // Alone on standard output, so that a script can take it.
  Console::print(text_field(model, "id") + "\n");
  std::fprintf(stderr, "%s\n", console.err()(Tone::kDim, model_size_text(model)).c_str());
  return 0;
}

Result<int> remove(Console& console, const ModelOptions& options) {
  ROOST_TRY(const ModelReference reference, parse_model_reference(options.name));
  if (reference.version == 0) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("name the version to remove, like {0}:3; `roost model ls {0}` lists "
                            "them",
                            printable(reference.name)));
  }
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(
      const Json answer,
      client->call("DELETE", model_path(console, reference.name) + "/versions/" + std::to_string(reference.version),
                   nullptr));
  if (console.json()) return console.print_json(answer);
  return Console::print(fmt::format("removed {}\n", options.name));
}

}  // namespace

void register_model(Verb& root, Console& console) {
  auto options = std::make_shared<ModelOptions>();
  const auto act = [&console, options](Result<int> (*what)(Console&, const ModelOptions&)) {
    return [&console, options, what] { return what(console, *options); };
  };
  const char* which = "its name for the newest version, or NAME:VERSION";
  Verb& verb = root.verb("model", "Keep trained models, with their versions").group(kModelGroup);
  verb.verb("ls", "List models, newest first")
      .optional_argument("NAME", options->name, "only versions of this model")
      .option("-t,--tag", options->tags, "KEY[=VALUE]", "only with this tag")
      .option("--framework", options->framework, "NAME", "only of this framework")
      .option("--run", options->run, "RUN", "only those made by this run")
      .flag("-l,--latest", options->latest, "only the newest version of each")
      .flag("-q,--quiet", options->quiet, "print NAME:VERSION only")
      .example("roost model ls --latest --tag stage=production")
      .action(act(list));
  verb.verb("show", "Show a version and its files")
      .argument("MODEL", options->name, which)
      .example("roost model show birds:3")
      .action(act(show));
  verb.verb("get", "Fetch its files, each verified and written in one step")
      .argument("MODEL", options->name, which)
      .option("-o,--output", options->output, "DIR", "folder to write to (default: here)")
      .example("roost model get birds -o models")
      .action(act(get));
  verb.verb("register", "Make a new version, of files here or of what a run left behind")
      .argument("NAME", options->name, "the model; one that is there gets its next version")
      .optional_argument("PATH", options->path, "a file or folder of this machine")
      .option("--run", options->run, "RUN", "the run it comes from")
      .option("--path", options->run_path, "PATH",
              "a file or folder of that run; nothing is copied")
      .option("-t,--tag", options->tags, "KEY[=VALUE]", "a tag to find it by")
      .option("--property", options->properties, "KEY=VALUE", "a fact that never changes")
      .option("--description", options->description, "TEXT", "what it is")
      .option("--framework", options->framework, "NAME", "like PyTorch or ScikitLearn")
      .option("--framework-version", options->framework_version, "VERSION", "of the framework")
      .example("roost model register birds ./model.pt --tag stage=trial")
      .example("roost model register birds --run @ --path outputs/model.pt --framework PyTorch")
      .action(act(register_version));
  verb.verb("rm", "Remove a version; its number is not given again")
      .argument("MODEL", options->name, "NAME:VERSION")
      .example("roost model rm birds:2")
      .action(act(remove));
  register_model_export(verb, console);
}

}  // namespace roost
