#include "server/garbage_job.h"

#include <exception>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/log.h"
#include "records/blob_records.h"
#include "server/clean_folders.h"
#include "server/named_blobs.h"

namespace roost {
namespace {

constexpr std::size_t kMostProblems = 100;

// Who will miss it.
std::string user_of(const GarbageParts& parts, const std::string& digest) {
  std::string user;
  (void)parts.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(user, user_of_blob(tx, digest));
    return {};
  });
  return user;
}

}  // namespace

Json GarbageJob::start(std::int64_t grace_seconds, bool verify) {
  const std::lock_guard lock(mutex_);
  if (report_.status == "running") return to_json();
  if (thread_.joinable()) thread_.join();
  report_ = Report();
  report_.id = random_hex(8);
  report_.status = "running";
  report_.phase = "snapshots";
  report_.grace_seconds = grace_seconds;
  report_.verify = verify;
  report_.started = parts_.clock.now();
  thread_ = std::jthread([this](const std::stop_token& stop) {
    try {
      work(stop);
    } catch (const std::exception& thrown) {
      tell(thrown.what());
      end("failed");
    }
  });
  return to_json();
}

Json GarbageJob::state() const {
  const std::lock_guard lock(mutex_);
  return report_.id.empty() ? Json() : to_json();
}

void GarbageJob::stop() {
  std::jthread thread;
  {
    const std::lock_guard lock(mutex_);
    thread = std::move(thread_);
  }
  thread.request_stop();
}

Json GarbageJob::to_json() const {
  const Report& r = report_;
  return {{"id", r.id},
          {"status", r.status},
          {"phase", r.phase},
          {"progress", r.progress},
          {"grace_seconds", r.grace_seconds},
          {"verify", r.verify},
          {"removed", r.swept.removed},
          {"bytes", r.swept.bytes},
          {"kept", r.swept.kept},
          {"damaged", r.damaged},
          {"cache_files", r.cache_files},
          {"node_folders", r.node_folders},
          {"problems", r.problems},
          {"started_at", format_time(r.started)},
          {"ended_at", r.ended == 0 ? Json() : Json(format_time(r.ended))}};
}

void GarbageJob::enter(const char* phase, double progress) {
  const std::lock_guard lock(mutex_);
  report_.phase = phase;
  report_.progress = progress;
}

void GarbageJob::tell(std::string problem) {
  log_warning("garbage collection: {}", problem);
  const std::lock_guard lock(mutex_);
  if (report_.problems.size() < kMostProblems) report_.problems.push_back(std::move(problem));
}

void GarbageJob::work(const std::stop_token& stop) {
  const Micros grace = report_.grace_seconds * kSecond;
  if (const Status dropped = drop_unused_snapshots(parts_, grace); !dropped) tell(dropped.error().message);
  // What waits to be synced is not in a shard yet.
  if (const Status synced = parts_.blobs.sync(); !synced) tell(synced.error().message);
  parts_.blobs.begin_sweep();
  const Status swept = sweep(stop, grace);
  parts_.blobs.end_sweep();
  if (!swept) tell("no blob was removed: " + swept.error().message);
  if (!stop.stop_requested()) {
    enter("folders", 0);
    const auto scraps = parts_.blobs.sweep_scraps(grace);
    const auto cleaned = clean_folders(parts_, grace);
    const std::lock_guard lock(mutex_);
    report_.swept.bytes += scraps.bytes + cleaned.bytes;
    report_.cache_files = cleaned.files;
    report_.node_folders = cleaned.nodes;
  }
  end(stop.stop_requested() ? "stopped" : !swept ? "failed" : "done");
}

void GarbageJob::end(const char* status) {
  parts_.blobs.end_sweep();
  const std::lock_guard lock(mutex_);
  report_.phase.clear();
  report_.progress = 1;
  report_.status = status;
  report_.ended = parts_.clock.now();
  log_info("garbage collection {}: removed {} blobs, {} bytes with all else; {} kept", report_.status,
           report_.swept.removed, report_.swept.bytes, report_.swept.kept);
}

Status GarbageJob::sweep(const std::stop_token& stop, Micros grace) {
  enter("names", 0);
  DigestSet named;
  ROOST_CHECK(find_named_blobs(parts_, named, [this](std::string problem) { tell(std::move(problem)); }));
  const auto is_named = [&](const std::string& digest) { return named.has(digest); };
  const auto add = [this](const BlobStore::Swept& swept) {
    const std::lock_guard lock(mutex_);
    report_.swept.removed += swept.removed;
    report_.swept.kept += swept.kept;
    report_.swept.bytes += swept.bytes;
  };
  add(parts_.blobs.sweep_unsynced(grace, is_named));
  for (int shard = 0; shard < BlobStore::kShards && !stop.stop_requested(); ++shard) {
    enter("blobs", static_cast<double>(shard) / BlobStore::kShards);
    add(parts_.blobs.sweep_shard(shard, grace, is_named));
  }
  for (std::size_t i = 0; report_.verify && i < named.size() && !stop.stop_requested(); ++i) {
    if (i % 64 == 0) enter("verify", static_cast<double>(i) / static_cast<double>(named.size()));
    const std::string digest = named.at(i);
    if (parts_.blobs.verify(digest)) continue;
    const auto why = parts_.blobs.open_blob(digest);
    tell(fmt::format("{}{}", why ? "blob " + digest + " cannot be read" : why.error().message, user_of(parts_, digest)));
    const std::lock_guard lock(mutex_);
    ++report_.damaged;
  }
  return {};
}

}  // namespace roost
