#include <memory>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "cli/show/progress_bar.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/verbs/commands.h"
#include "cli/work/run_reference.h"
#include "cli/work/source_folder.h"
#include "client/snapshot_transport.h"
#include "net/router.h"
#include "snapshot/restore.h"

namespace roost {
namespace {

struct SnapshotOptions {
  std::string reference;
  std::string folder;
};

// The digest itself, or that of a run's code.
Result<std::string> find_digest(Console& console, const std::string& reference) {
  if (is_digest(reference)) return reference;
  ROOST_TRY(const Json run, find_run(console, reference));
  std::string digest = text_field(run, "snapshot");
  if (digest.empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("run {} has no snapshot: it was submitted without code",
                            text_field(run, "id")));
  }
  return digest;
}

Result<int> show(Console& console, const SnapshotOptions& options) {
  ROOST_TRY(const std::string digest, find_digest(console, options.reference));
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json snapshot, client->get("/snapshots/" + percent_encode(digest)));
  if (console.json()) return console.print_json(snapshot);
  TextTable table({{"MODE"}, {"SIZE", true}, {"PATH", false, true}});
  for (const Json& entry : child(snapshot, "entries")) {
    const Json& size = child(entry, "size");
    const std::string link = text_field(entry, "link");
    table.add({{text_field(entry, "mode"), Tone::kDim},
               size.is_number_unsigned() ? human_bytes(size.get<std::uint64_t>()) : "",
               text_field(entry, "path") + (link.empty() ? "" : " -> " + link)});
  }
  const Json& size = child(snapshot, "size");
  Console::print(console.out()(Tone::kBold, digest) + "\n" +
                 table.text(console.out(), terminal_width(1)));
  return Console::print(console.out()(
      Tone::kDim,
      fmt::format("{} files, {}\n", text_field(snapshot, "files"),
                  human_bytes(size.is_number_unsigned() ? size.get<std::uint64_t>() : 0))));
}

Result<int> restore(Console& console, const SnapshotOptions& options) {
  ROOST_TRY(const std::string digest, find_digest(console, options.reference));
  ROOST_TRY(ServerAddress address, console.address());
  const TransportFactory factory = http_transports(std::move(address));
  ROOST_TRY(const auto transport, factory());
  ROOST_TRY(const Manifest manifest, fetch_manifest(*transport, digest));
  {
    ProgressBar bar("Downloading", manifest.size, console.err(), console.json());
    TransferOptions transfer;
    transfer.progress = [&bar](const TransferProgress& progress) {
      bar.set_total(progress.bytes_total);
      bar.update(progress.bytes_done);
    };
    ROOST_CHECK(restore_snapshot(manifest, options.folder, factory, transfer));
  }
  if (console.json()) {
    return console.print_json({{"digest", digest},
                                {"folder", options.folder},
                                {"files", count_files(manifest)},
                                {"size", manifest.size}});
  }
  return Console::print(fmt::format("restored {} files, {}, to {}\n", count_files(manifest),
                                    human_bytes(manifest.size), options.folder));
}

Result<int> create(Console& console, const SnapshotOptions& options) {
  ROOST_TRY(const ScannedTree tree, scan_source(options.folder));
  ROOST_CHECK(upload_source(console, tree));
  if (console.json()) {
    return console.print_json({{"digest", tree.digest},
                                {"files", count_files(tree.manifest)},
                                {"size", tree.manifest.size}});
  }
  return Console::print(tree.digest + "\n");
}

}  // namespace

void register_snapshot(Verb& root, Console& console) {
  auto options = std::make_shared<SnapshotOptions>();
  const char* which = "a snapshot's digest, or a run for its code";
  Verb& verb = root.verb("snapshot", "Look at, fetch and store the code of runs").group(kLookGroup);
  verb.verb("show", "List its files")
      .argument("SNAPSHOT", options->reference, which)
      .example("roost snapshot show @")
      .action([&console, options] { return show(console, *options); });
  for (const char* name : {"get", "restore"}) {
    Verb& get = verb.verb(name, "Give back the exact folder");
    get.argument("SNAPSHOT", options->reference, which)
        .argument("DIR", options->folder, "folder to make; it must not be there yet, or be empty")
        .example("roost snapshot get birds_1794776400 ./as-it-was")
        .action([&console, options] { return restore(console, *options); });
    if (std::string_view(name) == "restore") get.hidden();
  }
  verb.verb("create", "Store a folder without running it, and print its digest")
      .option("-s,--source", options->folder, "DIR", "the folder (default: this one)")
      .action([&console, options] { return create(console, *options); });
}

}  // namespace roost
