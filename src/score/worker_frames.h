#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace roost {

// What passes between a servant and a Python worker: the size of the head (4 bytes), the size of the body (8 bytes), both
// little-endian, the head in JSON, and the body. python/roost/scoring/frames.py is the other side. base/frames.h would
// do, were it not for heads of requests that are longer than its headers may be.
struct WorkerFrame {
  Json head;
  std::string body;
};

using SteadyTime = std::chrono::steady_clock::time_point;

// One side of the socket to a worker, and a descriptor that becomes readable when the worker has ended (-1: none): a
// process that the worker left behind may hold the socket open.
struct WorkerLine {
  int socket = -1;
  int ended = -1;
};

// kUnavailable if the worker is gone, kDeadlineExceeded at the deadline.
Status send_frame(const WorkerLine& line, const Json& head, std::string_view body, SteadyTime deadline);
// kTooLarge if the body is longer than `max_body`, kInvalidArgument if the head is no JSON object; what came before the
// worker's end is still read.
Result<WorkerFrame> receive_frame(const WorkerLine& line, std::uint64_t max_body, SteadyTime deadline);
// Of an error of one of these: the worker ended before it had read the last frame to its end, so it did nothing with it.
bool was_not_read(const Error& error);

}  // namespace roost
