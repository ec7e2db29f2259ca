#include <unistd.h>

#include <memory>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/show/progress_bar.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/show/times.h"
#include "cli/verbs/commands.h"
#include "cli/work/download.h"
#include "cli/work/pages.h"
#include "cli/work/run_reference.h"
#include "net/router.h"

namespace roost {
namespace {

struct ArtifactsOptions {
  std::string reference;
  std::string path;
  std::string output = ".";
  bool all = false;
};

std::uint64_t size_of(const Json& artifact) {
  const Json& size = child(artifact, "size");
  return size.is_number_unsigned() ? size.get<std::uint64_t>() : 0;
}

std::string artifact_path(const Json& run, const std::string& path) {
  return run_path(run, "/artifacts/" + percent_encode(path, true));
}

Result<Json> list(Console& console, const Json& run, const std::string& prefix) {
  ROOST_TRY(ApiClient * client, console.client());
  const std::string query = prefix.empty() ? "" : "?prefix=" + percent_encode(prefix);
  return all_items(*client, run_path(run, "/artifacts" + query));
}

Result<int> list_artifacts(Console& console, const ArtifactsOptions& options) {
  ROOST_TRY(const Json run, find_run(console, options.reference));
  ROOST_TRY(const Json artifacts, list(console, run, options.path));
  if (console.json()) return console.print_json(artifacts);
  TextTable table({{"SIZE", true}, {"WRITTEN"}, {"PATH", false, true}});
  const Micros now = now_micros();
  for (const Json& artifact : child(artifacts, "items")) {
    const auto at = time_field(artifact, "at");
    table.add({human_bytes(size_of(artifact)),
               {at ? time_ago(*at, now) : "", Tone::kDim},
               text_field(artifact, "path")});
  }
  if (table.empty()) {
    std::fputs("no artifacts; what a script writes to ./outputs and ./logs is kept\n", stderr);
    return 0;
  }
  return Console::print(table.text(console.out(), terminal_width(1)));
}

// The artifacts meant by a path: that one, or all in that folder; by "" all.
Result<Json> choose(Console& console, const Json& run, const std::string& path) {
  ROOST_TRY(const Json found, list(console, run, path));
  Json chosen = Json::array();
  for (const Json& artifact : child(found, "items")) {
    const std::string name = text_field(artifact, "path");
    if (name == path) return Json::array({artifact});
    if (path.empty() || path.back() == '/' || name.starts_with(path + "/"))
      chosen.push_back(artifact);
  }
  if (chosen.empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("run {} has no artifact \"{}\"; `roost artifacts ls {}` lists them",
                            text_field(run, "id"), printable(path), text_field(run, "id")));
  }
  return chosen;
}

Result<int> print_artifact(Console& console, const Json& run, const std::string& path) {
  ROOST_TRY(ApiClient * client, console.client());
  ClientRequest request;
  request.target = artifact_path(run, path);
  Status written;
  request.on_data = [&](std::string_view bytes) {
    written = write_all(1, bytes, "standard output");
    return written.has_value();
  };
  const auto response = client->send(std::move(request));
  if (!written) return fail(written.error());
  if (!response) return fail(response.error());
  return 0;
}

Result<int> get_artifacts(Console& console, const ArtifactsOptions& options) {
  if (options.path.empty() && !options.all) {
    return fail(ErrorCode::kInvalidArgument, "name the path of an artifact, or give --all");
  }
  ROOST_TRY(const Json run, find_run(console, options.reference));
  if (options.output == "-") return print_artifact(console, run, options.path);
  ROOST_TRY(const Json chosen, choose(console, run, options.all ? "" : options.path));
  ROOST_TRY(ApiClient * client, console.client());
  // One file asked for by name comes without its folders; several keep them.
  const bool alone = chosen.size() == 1 && text_field(chosen[0], "path") == options.path;
  std::uint64_t total = 0;
  for (const Json& artifact : chosen) total += size_of(artifact);
  Json files = Json::array();
  {
    ProgressBar bar("Downloading", total, console.err(), console.json());
    for (const Json& artifact : chosen) {
      const std::string path = text_field(artifact, "path");
      const std::string name = alone ? path.substr(path.rfind('/') + 1) : path;
      ROOST_TRY(const std::filesystem::path target, place_below(options.output, name));
      ROOST_CHECK(download_file(*client, artifact_path(run, path), text_field(artifact, "digest"),
                                target, [&bar](std::uint64_t more) { bar.add(more); }));
      Json file = artifact;
      file["file"] = target.lexically_normal().string();
      files.push_back(std::move(file));
    }
  }
  if (console.json()) return console.print_json({{"items", files}});
  for (const Json& file : files) Console::print(text_field(file, "file") + "\n");
  std::fprintf(stderr, "%s\n",
               console
                   .err()(Tone::kDim, fmt::format("{} file{}, {}, SHA-256 verified", files.size(),
                                                  files.size() == 1 ? "" : "s", human_bytes(total)))
                   .c_str());
  return 0;
}

}  // namespace

void register_artifacts(Verb& root, Console& console) {
  auto options = std::make_shared<ArtifactsOptions>();
  Verb& verb =
      root.verb("artifacts", "List and fetch the files a run left behind").group(kLookGroup);
  verb.verb("ls", "List them")
      .argument("RUN", options->reference, "its id, the beginning of it, or @ for the newest")
      .optional_argument("PREFIX", options->path, "only paths that begin with this")
      .example("roost artifacts ls @ outputs/")
      .action([&console, options] { return list_artifacts(console, *options); });
  verb.verb("get", "Fetch files, each verified and written in one step")
      .argument("RUN", options->reference, "its id, the beginning of it, or @ for the newest")
      .optional_argument("PATH", options->path, "one artifact, or a folder of them")
      .flag("-a,--all", options->all, "all of them")
      .option("-o,--output", options->output, "DIR",
              "folder to write to (default: here); - prints one")
      .example("roost artifacts get @ outputs/model.pt")
      .example("roost artifacts get @ --all -o results")
      .action([&console, options] { return get_artifacts(console, *options); });
}

}  // namespace roost
