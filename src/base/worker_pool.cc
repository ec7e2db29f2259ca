#include "base/worker_pool.h"

#include <chrono>
#include <system_error>

namespace roost {
namespace {
constexpr std::chrono::seconds kHelperStays{10};
}

WorkerPool::WorkerPool(int threads, int most) : most_(most) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
  std::unique_lock lock(mutex_);
  helper_gone_.wait(lock, [this] { return helpers_ == 0; });
}

void WorkerPool::submit(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    const bool all_busy = static_cast<int>(jobs_.size()) > waiting_;
    if (all_busy && static_cast<int>(threads_.size()) + helpers_ < most_) {
      add_helper();
    }
  }
  wake_.notify_one();
}

void WorkerPool::add_helper() {
  ++helpers_;
  try {
    std::thread([this] { help(); }).detach();
  } catch (const std::system_error&) {
    --helpers_;  // no more threads to be had: the job waits for those there are
  }
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++waiting_;
    wake_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    --waiting_;
    if (jobs_.empty()) return;
    run_first(lock);
  }
}

void WorkerPool::help() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++waiting_;
    wake_.wait_for(lock, kHelperStays, [this] { return ending_ || !jobs_.empty(); });
    --waiting_;
    if (jobs_.empty()) break;
    run_first(lock);
  }
  --helpers_;
  helper_gone_.notify_all();
}

void WorkerPool::run_first(std::unique_lock<std::mutex>& lock) {
  std::function<void()> job = std::move(jobs_.front());
  jobs_.pop_front();
  lock.unlock();
  job();
  job = nullptr;
  lock.lock();
}

}  // namespace roost
