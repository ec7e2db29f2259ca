#include "cli/work/source_folder.h"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/progress_bar.h"
#include "client/snapshot_transport.h"
#include "snapshot/upload.h"

namespace roost {

std::filesystem::path cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache) return std::filesystem::path(cache) / "roost";
  const char* home = std::getenv("HOME");
  return home && *home ? std::filesystem::path(home) / ".cache/roost" : std::filesystem::path();
}

Result<ScannedTree> scan_source(const std::string& source) {
  ScanOptions options;
  options.cache_folder = cache_folder();
  return scan_tree(source.empty() ? "." : source, options);
}

Status upload_source(Console& console, const ScannedTree& tree) {
  ROOST_TRY(ServerAddress address, console.address());
  ProgressBar bar("Uploading", 0, console.err(), console.json());
  TransferOptions options;
  options.progress = [&bar](const TransferProgress& progress) {
    bar.set_total(progress.bytes_total);
    bar.update(progress.bytes_done);
  };
  ROOST_TRY(const UploadedSnapshot uploaded,
            upload_snapshot(tree, http_transports(std::move(address)), options));
  bar.clear();
  const std::string line =
      uploaded.blobs == 0 ? "the server had all of it"
                          : fmt::format("uploaded {} file{}, {}, in {}", uploaded.blobs,
                                        uploaded.blobs == 1 ? "" : "s", human_bytes(uploaded.bytes),
                                        human_duration(bar.seconds()));
  std::fprintf(stderr, "%s\n", console.err()(Tone::kDim, line).c_str());
  return {};
}

}  // namespace roost
