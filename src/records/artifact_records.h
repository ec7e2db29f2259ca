#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "db/database.h"
#include "domain/finish_report.h"
#include "domain/run.h"

namespace roost {

// The files that a run has left on the server: paths with the blobs they name.

struct Artifact {
  std::string path;
  std::string digest;
  std::uint64_t size = 0;
  Micros at = 0;
};
Status put_artifact(Tx& tx, std::int64_t run, const OutputFile& file, Micros now);
Status remove_artifact(Tx& tx, std::int64_t run, const std::string& path);
Result<std::vector<Artifact>> list_artifacts(Tx& tx, std::int64_t run, std::string_view prefix,
                                             std::string_view after, std::int64_t limit);
// What lies in the folder itself, by name; "" is the top. One query however much lies below.
struct FolderEntry {
  std::string name;
  bool is_folder = false;
  std::uint64_t size = 0;  // of a file
};
Result<std::vector<FolderEntry>> list_folder(Tx& tx, std::int64_t run, std::string_view folder);
// Whether there is a file of that name, or a folder.
Result<bool> is_folder(Tx& tx, std::int64_t run, std::string_view path);
// The file of that name, and all below the folder of that name.
Status remove_artifacts(Tx& tx, std::int64_t run, const std::string& path);
Result<Artifact> find_artifact(Tx& tx, const Run& run, std::string_view path);

// What the one has below `prefix` is the other's too.
Status copy_artifacts(Tx& tx, std::int64_t from, std::int64_t to, std::string_view prefix, Micros now);

// Records a part's outputs, whose blobs must be stored and synced. Where two nodes of the attempt, begun
// at `since`, wrote a file of the same name, that of the first node stays.
Status record_outputs(Tx& tx, const Run& run, const FinishReport& report, Micros since, Micros now);

}  // namespace roost
