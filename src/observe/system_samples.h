#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"

namespace roost {

// What the nodes of a run were busy with: CPU, memory, disk, network and GPU, a sample at each heartbeat. Samples are
// appended to blocks like the points of a metric (block_tail.h), all values of a sample side by side. They are
// thinned by age: of every two blocks with the same resolution that a third has followed, one is made with half the
// resolution. So the newest two blocks' worth of samples is kept as it came (an hour or two), twice as much before
// that at half the resolution, and so on: a run of a year keeps less than 30,000 points a node.
inline constexpr std::int64_t kSampleBlock = 1024;

// Adds a sample to those of the node. What is no number in `values` is left out, and so is what comes after the
// first few hundred names.
Status insert_system_sample(Tx& tx, std::int64_t run, const std::string& node, Micros at, const Json& values);

// All series of the run, each with at most `buckets` points, as the API shows them.
Result<Json> system_series(Tx& tx, std::int64_t run, std::int64_t buckets);

// How busy the busiest GPU of the run was since `since`, in percent; nothing if it has none, or was not looked at as long ago
// as that.
Result<std::optional<double>> busiest_gpu(Tx& tx, std::int64_t run, Micros since);

// Moves samples that an earlier version of the program kept one by one into blocks, a run at a time. If it fails half
// way, the next call goes on.
Status move_old_samples(Database& database);

}  // namespace roost
