#include "records/disk_records.h"

#include <unordered_map>

namespace roost {
namespace {

constexpr std::int64_t kPointBytes = 24;  // of a metric, as blocks keep it
constexpr std::int64_t kSeveral = -1;
constexpr std::int64_t kUnknown = -2;

struct Held {
  std::int64_t size = 0;
  std::int64_t run = kUnknown;         // index
  std::int64_t experiment = kUnknown;  // index
  bool outside = false;         // somebody of another workspace, or no run, has it
};

class Walk {
 public:
  Walk(Tx& tx, std::string_view workspace) : tx_(tx), workspace_(workspace) {}

  Result<DiskUses> take(const std::unordered_set<std::string>& held) {
    ROOST_CHECK(read_runs());
    ROOST_CHECK(read_files());
    for (auto& [digest, blob] : blobs_) count(blob, held.contains(digest));
    ROOST_CHECK(read_sums("SELECT run, sum(count) FROM metric GROUP BY run", kPointBytes));
    ROOST_CHECK(read_sums("SELECT run, sum(length(data)) FROM system_block GROUP BY run", 1));
    return std::move(uses_);
  }

 private:
  Status read_runs() {
    std::unordered_map<std::int64_t, std::int64_t> experiments;
    Rows named = tx_.query("SELECT id, name FROM experiment WHERE workspace = ? AND name <> '' ORDER BY name", workspace_);
    while (named.next()) {
      experiments[named.integer(0)] = static_cast<std::int64_t>(uses_.experiments.size());
      uses_.experiments.push_back({named.integer(0), named.text(1), named.text(1), {}});
    }
    ROOST_CHECK(named.status());
    Rows rows = tx_.query("SELECT a.seq, a.id, b.experiment FROM run a INDEXED BY run_by_workspace JOIN run b ON b.seq = a.seq"
                          " WHERE a.workspace = ?",
                          workspace_);
    while (rows.next()) {
      const auto at = experiments.find(rows.integer(2));
      if (at == experiments.end()) continue;
      DiskUseOf& experiment = uses_.experiments[static_cast<std::size_t>(at->second)];
      runs_[rows.integer(0)] = {static_cast<std::int64_t>(uses_.runs.size()), at->second};
      uses_.runs.push_back({rows.integer(0), rows.text(1), experiment.name, {}});
      uses_.runs.back().use.runs = 1;
      ++experiment.use.runs;
      ++uses_.workspace.runs;
    }
    return rows.status();
  }

  Status read_files() {
    Rows rows = tx_.query("SELECT digest, size, run FROM artifact");
    while (rows.next()) {
      const auto of = runs_.find(rows.integer(2));
      Held& blob = blobs_[rows.text(0)];
      blob.size = rows.integer(1);
      if (of == runs_.end()) {
        blob.outside = true;
        continue;
      }
      const auto [run, experiment] = of->second;
      if (blob.run == kUnknown) {
        blob.run = run;
        blob.experiment = experiment;
        ++uses_.runs[static_cast<std::size_t>(run)].use.files;
        ++uses_.experiments[static_cast<std::size_t>(experiment)].use.files;
      } else {
        share(blob, run, experiment);
      }
    }
    return rows.status();
  }

  // Another has it too: of what is its own nothing is counted, and what is shared is counted for each.
  void share(Held& blob, std::int64_t run, std::int64_t experiment) {
    DiskUse& other = uses_.runs[static_cast<std::size_t>(run)].use;
    if (blob.run != run) {
      if (blob.run != kSeveral) uses_.runs[static_cast<std::size_t>(blob.run)].use.shared += blob.size;
      other.shared += blob.size;
      ++other.files;
      blob.run = kSeveral;
    }
    DiskUse& other_experiment = uses_.experiments[static_cast<std::size_t>(experiment)].use;
    if (blob.experiment != experiment) {
      if (blob.experiment != kSeveral) uses_.experiments[static_cast<std::size_t>(blob.experiment)].use.shared += blob.size;
      other_experiment.shared += blob.size;
      ++other_experiment.files;
      blob.experiment = kSeveral;
    }
  }

  void count(const Held& blob, bool held) {
    if (blob.run == kUnknown) return;  // of another workspace
    const bool shared = blob.outside || held;
    if (blob.run != kSeveral) add(uses_.runs[static_cast<std::size_t>(blob.run)].use, blob.size, shared);
    if (blob.experiment != kSeveral) add(uses_.experiments[static_cast<std::size_t>(blob.experiment)].use, blob.size, shared);
    add(uses_.workspace, blob.size, shared);
    ++uses_.workspace.files;
  }

  static void add(DiskUse& use, std::int64_t size, bool shared) { (shared ? use.shared : use.outputs) += size; }

  Status read_sums(const char* sql, std::int64_t bytes_each) {
    Rows rows = tx_.query(sql);
    while (rows.next()) {
      const auto of = runs_.find(rows.integer(0));
      if (of == runs_.end()) continue;
      const std::int64_t bytes = rows.integer(1) * bytes_each;
      uses_.runs[static_cast<std::size_t>(of->second.first)].use.metrics += bytes;
      uses_.experiments[static_cast<std::size_t>(of->second.second)].use.metrics += bytes;
      uses_.workspace.metrics += bytes;
    }
    return rows.status();
  }

  Tx& tx_;
  const std::string workspace_;
  DiskUses uses_;
  std::unordered_map<std::int64_t, std::pair<std::int64_t, std::int64_t>> runs_;  // row -> where its use and its experiment's is
  std::unordered_map<std::string, Held> blobs_;
};

}  // namespace

Result<DiskUses> disk_uses(Tx& tx, std::string_view workspace, const std::unordered_set<std::string>& held) {
  return Walk(tx, workspace).take(held);
}

Result<std::unordered_set<std::string>> datastore_digests(Tx& tx) {
  std::unordered_set<std::string> digests;
  Rows rows = tx.query("SELECT DISTINCT digest FROM datastore_file");
  while (rows.next()) digests.insert(rows.text(0));
  ROOST_CHECK(rows.status());
  return digests;
}

Result<std::vector<std::string>> model_contents(Tx& tx) {
  std::vector<std::string> contents;
  Rows rows = tx.query("SELECT DISTINCT content FROM model");
  while (rows.next()) contents.push_back(rows.text(0));
  ROOST_CHECK(rows.status());
  return contents;
}

}  // namespace roost
