#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace roost {

// Where the time of a request went.
struct CallTimes {
  std::chrono::nanoseconds queue{0};   // from its coming until it is taken up
  std::chrono::nanoseconds input{0};   // putting rows together
  std::chrono::nanoseconds infer{0};   // in the model
  std::chrono::nanoseconds output{0};  // taking rows apart, and writing the answer
  int together = 1;                    // requests that had the last three in common
};

// What one version of a model has done since it was loaded. Thread-safe; values read together need not fit each other.
class ModelStats {
 public:
  struct Total {
    std::uint64_t count = 0;
    std::uint64_t ns = 0;
  };
  struct Values {
    Total success, failure, queue, input, infer, output;
    std::uint64_t rows = 0;
    std::uint64_t runs = 0;
    std::int64_t last_ms = 0;  // since 1970
  };

  void succeeded(const CallTimes& times, std::uint64_t rows) {
    success_.add(times.queue + times.input + times.infer + times.output);
    queue_.add(times.queue);
    input_.add(times.input);
    infer_.add(times.infer);
    output_.add(times.output);
    rows_.fetch_add(rows, std::memory_order_relaxed);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    last_ms_.store(std::chrono::duration_cast<std::chrono::milliseconds>(now).count(), std::memory_order_relaxed);
  }
  void failed(std::chrono::nanoseconds time) { failure_.add(time); }
  void ran() { runs_.fetch_add(1, std::memory_order_relaxed); }

  Values read() const {
    return {success_.read(), failure_.read(), queue_.read(), input_.read(),  infer_.read(),
            output_.read(),  rows_.load(),    runs_.load(),  last_ms_.load()};
  }

 private:
  struct Sum {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::uint64_t> ns{0};
    void add(std::chrono::nanoseconds time) {
      count.fetch_add(1, std::memory_order_relaxed);
      ns.fetch_add(static_cast<std::uint64_t>(time.count()), std::memory_order_relaxed);
    }
    Total read() const { return {count.load(std::memory_order_relaxed), ns.load(std::memory_order_relaxed)}; }
  };
  Sum success_, failure_, queue_, input_, infer_, output_;
  std::atomic<std::uint64_t> rows_{0};
  std::atomic<std::uint64_t> runs_{0};
  std::atomic<std::int64_t> last_ms_{0};
};

}  // namespace roost
