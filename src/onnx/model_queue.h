#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "onnx/model_runner.h"
#include "onnx/model_stats.h"

namespace roost {

struct QueueOptions {
  int runs = 1;                // under way at a time
  std::int64_t max_batch = 1;  // rows that run together; 1: requests run one by one
  std::chrono::microseconds max_delay{0};
  std::size_t limit = 256;  // requests that wait
};

// The way of requests into one model. Has no thread: a request runs on its caller's thread, at once if the model has a
// run free. Else it waits; when a run ends, the one that waits longest or one that comes just then takes its place. Who
// runs takes along those that wait and can be computed together with it (go_together, the same outputs, no more than
// max_batch rows). With a delay, who could run waits so long for others first. Rows that fail together are computed
// again one request at a time, so that only the bad one fails. Thread-safe.
class ModelQueue {
 public:
  ModelQueue(ModelRunner& runner, ModelStats& stats, QueueOptions options)
      : runner_(runner), stats_(stats), options_(options) {}

  // Blocks. The inputs are not touched any more when it returns. kResourceExhausted if too many wait already,
  // kDeadlineExceeded if it took too long.
  Result<std::vector<Tensor>> infer(const std::vector<Tensor>& inputs, const std::vector<std::string>& outputs,
                                    Deadline deadline, CallTimes& times);

  std::size_t waiting() const;
  bool is_free() const;  // whether a request that comes now would run at once

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class State { kWaiting, kLeads, kTaken, kCopied, kDone };
  struct Call {
    const std::vector<Tensor>* inputs = nullptr;  // the caller's, until it is copied
    std::vector<std::string> outputs;
    Deadline deadline;
    std::int64_t rows = -1;  // -1: runs alone
    Time came;
    State state = State::kWaiting;
    bool is_called = false;  // to look whether a run is free
    std::condition_variable changed;
    CallTimes times;
    Result<std::vector<Tensor>> result;
  };
  using CallPtr = std::shared_ptr<Call>;
  using Lock = std::unique_lock<std::mutex>;

  Result<std::vector<Tensor>> run_at_once(const std::vector<Tensor>& inputs, const std::vector<std::string>& outputs,
                                          Deadline deadline, CallTimes& times);
  Result<std::vector<Tensor>> wait(Lock& lock, const CallPtr& call);
  Result<std::vector<Tensor>> lead(Lock& lock, const CallPtr& call);
  void gather_locked(Lock& lock, const CallPtr& call);
  std::vector<CallPtr> take_locked(const CallPtr& leader);
  void run_taken(Lock& lock, const std::vector<CallPtr>& batch);
  void help_locked(Lock& lock);
  CallTimes run_batch(const std::vector<CallPtr>& batch);
  bool share_out(const std::vector<CallPtr>& batch, std::vector<Tensor> outputs);
  void run_each(const std::vector<CallPtr>& batch, const std::vector<Tensor>& inputs);
  bool is_first_impatient_locked() const;
  void let_next_lead_locked();
  void leave_locked(const CallPtr& call);
  bool batches() const { return options_.max_batch > 1 && !never_together_.load(std::memory_order_relaxed); }
  bool gathers() const { return batches() && options_.max_delay.count() > 0; }

  ModelRunner& runner_;
  ModelStats& stats_;
  const QueueOptions options_;
  std::atomic<bool> never_together_{false};  // outputs did not have a row for each

  mutable std::mutex mutex_;
  int running_ = 0;
  std::chrono::nanoseconds last_run_{0};
  std::list<CallPtr> waiting_;
  std::int64_t rows_waiting_ = 0;
  CallPtr gathering_;  // leads, and waits for others
};

}  // namespace roost
