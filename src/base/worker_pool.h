#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace roost {

// A number of threads that run submitted jobs in order of arrival. The destructor finishes the
// jobs already submitted, then joins. submit() may be called from any thread, also from a job.
class WorkerPool {
 public:
  // `most`, if it is more, is how many there may be while all are busy: for jobs that wait for others. Those beyond
  // `threads` end once they have had nothing to do for a while.
  explicit WorkerPool(int threads, int most = 0);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void submit(std::function<void()> job);

 private:
  void work();
  void add_helper();
  void help();
  void run_first(std::unique_lock<std::mutex>& lock);

  const int most_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable helper_gone_;
  std::deque<std::function<void()>> jobs_;
  bool ending_ = false;
  int waiting_ = 0;  // threads without a job
  int helpers_ = 0;  // threads beyond threads_
  std::vector<std::thread> threads_;
};

}  // namespace roost
