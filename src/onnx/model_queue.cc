#include "onnx/model_queue.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "onnx/batch.h"

namespace roost {
namespace {

using Steady = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::milliseconds(5);
constexpr auto kQuick = std::chrono::milliseconds(1);

tl::unexpected<Error> too_late_to_start() {
  return fail(ErrorCode::kDeadlineExceeded,
              "the time was up before the model was free; more replicas or a longer timeout help");
}

}  // namespace

bool ModelQueue::is_free() const {
  const std::lock_guard lock(mutex_);
  return running_ < options_.runs && waiting_.empty() && !gathers();
}

std::size_t ModelQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

Result<std::vector<Tensor>> ModelQueue::infer(const std::vector<Tensor>& inputs,
                                              const std::vector<std::string>& outputs, Deadline deadline,
                                              CallTimes& times) {
  Lock lock(mutex_);
  const bool is_free = running_ < options_.runs && !gathers() && !is_first_impatient_locked();
  if (is_free && (waiting_.empty() || !batches())) {
    ++running_;
    lock.unlock();
    return run_at_once(inputs, outputs, deadline, times);
  }
  if (!is_free && waiting_.size() >= options_.limit) {
    return fail(
        ErrorCode::kResourceExhausted,
        fmt::format(
            "{} requests wait for this model already; try again later, or raise queue_limit or the number of replicas",
            waiting_.size()));
  }
  const auto call = std::make_shared<Call>();
  call->inputs = &inputs;
  call->outputs = outputs;
  call->deadline = deadline;
  call->rows = batches() ? rows_of(inputs) : -1;
  call->came = Steady::now();
  if (is_free) {
    ++running_;
    call->state = State::kLeads;
  } else {
    waiting_.push_back(call);
    rows_waiting_ += std::max<std::int64_t>(call->rows, 1);
    if (gathers()) let_next_lead_locked();
    if (gathering_ && rows_waiting_ >= options_.max_batch) gathering_->changed.notify_one();
  }
  auto result = wait(lock, call);
  times = call->times;
  return result;
}

Result<std::vector<Tensor>> ModelQueue::run_at_once(const std::vector<Tensor>& inputs,
                                                    const std::vector<std::string>& outputs, Deadline deadline,
                                                    CallTimes& times) {
  const auto start = Steady::now();
  auto result = runner_.run(inputs, outputs, deadline);
  times.infer = Steady::now() - start;
  stats_.ran();
  Lock lock(mutex_);
  --running_;
  last_run_ = times.infer;
  help_locked(lock);
  return result;
}

bool ModelQueue::is_first_impatient_locked() const {
  return !waiting_.empty() && Steady::now() - waiting_.front()->came > kPatience;
}

// Whoever comes by may take a free run while the first who waits is waking up, which takes longer than many a model:
// else the run would stand idle. Only who has waited too long has it kept for it. While one gathers, those who come are
// for it to take.
void ModelQueue::let_next_lead_locked() {
  if (running_ >= options_.runs || gathering_ || waiting_.empty()) return;
  const CallPtr& first = waiting_.front();
  if (first->state != State::kWaiting || first->is_called) return;
  if (gathers() || is_first_impatient_locked()) {
    first->state = State::kLeads;
    ++running_;
    if (gathers()) gathering_ = first;
  }
  first->is_called = true;
  first->changed.notify_one();
}

void ModelQueue::leave_locked(const CallPtr& call) {
  const auto place = std::ranges::find(waiting_, call);
  if (place == waiting_.end()) return;
  waiting_.erase(place);
  rows_waiting_ -= std::max<std::int64_t>(call->rows, 1);
}

Result<std::vector<Tensor>> ModelQueue::wait(Lock& lock, const CallPtr& call) {
  const auto is_told = [&] { return call->is_called || call->state == State::kLeads || call->state == State::kDone; };
  while (call->state != State::kLeads && call->state != State::kDone) {
    if (!call->changed.wait_until(lock, call->deadline, is_told)) {
      // The inputs are the caller's, so it stays while they are copied.
      call->changed.wait(lock, [&] { return call->state != State::kTaken; });
      if (call->state == State::kCopied)
        return fail(ErrorCode::kDeadlineExceeded, "the model was still computing when the time was up");
      if (call->state == State::kWaiting) {
        leave_locked(call);
        let_next_lead_locked();
        return too_late_to_start();
      }
    }
    if (std::exchange(call->is_called, false) && call->state == State::kWaiting && running_ < options_.runs) {
      call->state = State::kLeads;
      ++running_;
    }
  }
  if (call->state == State::kLeads) return lead(lock, call);
  return std::move(call->result);
}

void ModelQueue::gather_locked(Lock& lock, const CallPtr& call) {
  const auto until = std::min(call->came + options_.max_delay, call->deadline);
  call->changed.wait_until(lock, until, [&] { return rows_waiting_ >= options_.max_batch; });
  gathering_.reset();
}

std::vector<ModelQueue::CallPtr> ModelQueue::take_locked(const CallPtr& leader) {
  std::vector<CallPtr> batch = {leader};
  const auto now = Steady::now();
  leave_locked(leader);
  leader->times.queue = now - leader->came;
  if (!batches() || leader->rows < 0) return batch;
  std::int64_t rows = leader->rows;
  for (auto place = waiting_.begin(); place != waiting_.end() && rows < options_.max_batch;) {
    const CallPtr call = *place++;
    const bool fits = call->state == State::kWaiting && call->rows >= 0 && rows + call->rows <= options_.max_batch &&
                      call->deadline > now;
    if (!fits || call->outputs != leader->outputs || !go_together(*leader->inputs, *call->inputs)) continue;
    rows += call->rows;
    leave_locked(call);
    call->state = State::kTaken;
    call->times.queue = now - call->came;
    batch.push_back(call);
  }
  return batch;
}

Result<std::vector<Tensor>> ModelQueue::lead(Lock& lock, const CallPtr& call) {
  if (gathering_ == call) gather_locked(lock, call);
  if (Steady::now() >= call->deadline) {
    leave_locked(call);
    --running_;
    let_next_lead_locked();
    return too_late_to_start();
  }
  run_taken(lock, take_locked(call));
  help_locked(lock);
  return std::move(call->result);
}

void ModelQueue::run_taken(Lock& lock, const std::vector<CallPtr>& batch) {
  let_next_lead_locked();  // there may be a run for those that were not taken
  lock.unlock();
  const CallPtr& first = batch.front();
  CallTimes times;  // who has left meanwhile reads its own, so they are written under the lock
  if (batch.size() == 1) {
    const auto start = Steady::now();
    first->result = runner_.run(*first->inputs, first->outputs, first->deadline);
    times.infer = Steady::now() - start;
    stats_.ran();
  } else {
    times = run_batch(batch);
  }
  lock.lock();
  --running_;
  last_run_ = times.infer;
  for (const CallPtr& member : batch) {
    times.queue = member->times.queue;
    member->times = times;
    const bool sleeps = member->state != State::kLeads;
    member->state = State::kDone;
    if (sleeps) member->changed.notify_one();
  }
}

// Before it goes with its own answer, a caller computes for one who has waited too long and is still asleep, if that is
// quick: on a busy machine waking up takes far longer.
void ModelQueue::help_locked(Lock& lock) {
  if (running_ < options_.runs && !gathers() && last_run_ < kQuick && is_first_impatient_locked() &&
      waiting_.front()->state == State::kWaiting) {
    const CallPtr first = waiting_.front();
    first->state = State::kTaken;
    ++running_;
    run_taken(lock, take_locked(first));
  }
  let_next_lead_locked();
}

CallTimes ModelQueue::run_batch(const std::vector<CallPtr>& batch) {
  const auto start = Steady::now();
  std::vector<std::span<const Tensor>> requests;
  Deadline deadline = batch.front()->deadline;
  for (const CallPtr& call : batch) {
    requests.emplace_back(*call->inputs);
    deadline = std::max(deadline, call->deadline);
  }
  const std::vector<Tensor> inputs = join_rows(requests);
  {
    const Lock lock(mutex_);
    for (const CallPtr& call : batch) {
      call->state = State::kCopied;
      call->inputs = nullptr;
      if (call->deadline < Steady::now()) call->changed.notify_one();
    }
  }
  const auto copied = Steady::now();
  auto outputs = runner_.run(inputs, batch.front()->outputs, deadline);
  const auto computed = Steady::now();
  stats_.ran();
  const bool is_late = !outputs && outputs.error().code == ErrorCode::kDeadlineExceeded;
  if (is_late) {
    for (const CallPtr& call : batch) call->result = fail(outputs.error());
  } else if (!outputs || !share_out(batch, std::move(*outputs))) {
    run_each(batch, inputs);
  }
  return {{}, copied - start, computed - copied, Steady::now() - computed, static_cast<int>(batch.size())};
}

bool ModelQueue::share_out(const std::vector<CallPtr>& batch, std::vector<Tensor> outputs) {
  std::int64_t rows = 0;
  for (const CallPtr& call : batch) rows += call->rows;
  if (std::ranges::any_of(
          outputs, [rows](const Tensor& output) { return output.shape.empty() || output.shape.front() != rows; })) {
    if (!never_together_.exchange(true))
      log_warning("the model gave other than {} rows for {}: requests are not put together any more", rows, rows);
    return false;
  }
  std::int64_t from = 0;
  for (const CallPtr& call : batch) {
    call->result = slice_rows(outputs, from, from + call->rows);
    from += call->rows;
  }
  return true;
}

void ModelQueue::run_each(const std::vector<CallPtr>& batch, const std::vector<Tensor>& inputs) {
  std::int64_t from = 0;
  for (const CallPtr& call : batch) {
    call->result = runner_.run(slice_rows(inputs, from, from + call->rows), call->outputs, call->deadline);
    stats_.ran();
    from += call->rows;
  }
}

}  // namespace roost
