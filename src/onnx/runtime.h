#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "onnx/library.h"

namespace roost {

// How the cores of the machine are shared. The rule: runs under way times the threads of one run is never more than the
// cores, and nobody spins while it waits.
struct OrtThreads {
  int intra_op = 1;  // threads that work on one run, the caller's being one of them
  int runs = 1;      // runs under way at the same time, of one model
};
// `wanted` 0: one thread a run and a run for each core. A request then stays on the thread that read it, and requests
// that come together share the cores without meeting; what one large run loses by it, two get back. With `wanted` > 1 all
// models share one pool of so many threads, and as many runs go on as fit beside each other.
OrtThreads decide_threads(int wanted, int cores);
int usable_cores();  // those this process may run on

// The environment that all models of a process share: log, threads, and one allocator that grows by what is asked for and
// not by doubling. Sessions keep it alive. Thread-safe.
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
