#include "cli/work/run_outputs.h"

#include "cli/show/progress_bar.h"
#include "cli/show/run_text.h"
#include "cli/work/download.h"
#include "cli/work/pages.h"
#include "cli/work/run_reference.h"
#include "net/router.h"

namespace roost {

Result<std::size_t> download_outputs(Console& console, const Json& run, const std::string& prefix,
                                     const std::filesystem::path& folder) {
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json found, all_items(*client, run_path(run, "/artifacts?prefix=" + percent_encode(prefix))));
  const Json& artifacts = child(found, "items");
  std::uint64_t total = 0;
  for (const Json& artifact : artifacts) {
    if (const Json& size = child(artifact, "size"); size.is_number_unsigned()) total += size.get<std::uint64_t>();
  }
  ProgressBar bar("Downloading", total, console.err(), console.json());
  for (const Json& artifact : artifacts) {
    const std::string path = text_field(artifact, "path");
    ROOST_TRY(const std::filesystem::path target, place_below(folder, path.substr(prefix.size())));
    ROOST_CHECK(download_file(*client, run_path(run, "/artifacts/" + percent_encode(path, true)), text_field(artifact, "digest"),
                              target, [&bar](std::uint64_t more) { bar.add(more); }));
  }
  return artifacts.size();
}

}  // namespace roost
