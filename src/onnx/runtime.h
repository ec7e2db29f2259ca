#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/result.h"
#include "onnx/library.h"

namespace roost {

// How the cores are shared, so that threads do not fight for them: the runs of a model that are under way, times the
// threads that one of them keeps busy, are about as many as the cores; and nobody spins while it waits.
// - Set to 1: each run stays on the thread of its caller, and there are as many as cores.
// - Set to N: all models share one pool of N threads, the caller being one of them; cores / N runs at a time.
// - Not set (0): as with 1 for a model that computes a row in less than kLargeModel. For a larger one a caller that is
// alone
//   would wait while cores are idle: it gets the pool, of as many threads as cores but at most kLargestPool, and as
//   many runs at a time as fit beside each other by how much of a row other threads took over when it was tried
//   (runs_beside).
struct OrtThreads {
  int wanted = 0;
  int cores = 1;
  int pool() const;
  int runs() const;  // for models that do not use the pool, or if its size was set
};
inline constexpr std::chrono::milliseconds kLargeModel{5};
inline constexpr int kLargestPool = 16;
// `alone` and `with_pool`: processor time of the caller for the same row.
int runs_beside(double alone, double with_pool, int cores);
int usable_cores();  // those this process may run on

// The environment that all models of a process share: log, threads, and one allocator that grows by what is asked for
// and not by doubling. Sessions keep it alive. Thread-safe.
class OrtRuntime {
 public:
  static Result<std::shared_ptr<OrtRuntime>> open(const OrtLibrary& library, int intra_op_threads);
  ~OrtRuntime();
  OrtRuntime(const OrtRuntime&) = delete;
  OrtRuntime& operator=(const OrtRuntime&) = delete;

  const ort::OrtApi& api() const { return *library_.api; }
  const OrtLibrary& library() const { return library_; }
  const OrtThreads& threads() const { return threads_; }
  ort::OrtEnv* env() const { return env_; }
  const ort::OrtMemoryInfo* cpu() const { return cpu_; }

  // Takes the status over; ONNX Runtime's own text is the message. `doing` comes before it, if not empty.
  Status check(ort::OrtStatus* status, std::string_view doing = "") const;

 private:
  explicit OrtRuntime(OrtLibrary library) : library_(std::move(library)) {}
  Status start();

  OrtLibrary library_;
  OrtThreads threads_;
  ort::OrtEnv* env_ = nullptr;
  ort::OrtMemoryInfo* cpu_ = nullptr;
};

// An owner for what the library made: released by its own function.
template <class T>
using OrtOwned = std::unique_ptr<T, void (*)(T*)>;

}  // namespace roost
