#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "net/http.h"

namespace roost {

// A streamed request body on its way from the io thread, which must not block, to the handler's
// worker, which may. Holds about kCapacity bytes: the io thread stops reading from the peer while
// it is full().
class BodyQueue final : public BodyReader {
 public:
  static constexpr std::size_t kCapacity = 1 << 20;

  // `changed` is called by read(), on the worker, when the io thread may go on: the queue is no
  // longer full, or is wanted for the first time.
  explicit BodyQueue(std::function<void()> changed);

  // The worker's side.
  Result<std::string> read() override;

  // The io thread's side.
  void push(std::string& bytes);  // takes them out of `bytes`
  bool full() const;
  bool wanted() const;  // the handler has called read()
  void finish();
  void fail(Error error);  // what read() returns from now on; the first one stays

 private:
  std::function<void()> changed_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::string bytes_;
  bool wanted_ = false;
  bool finished_ = false;
  std::optional<Error> error_;
};

}  // namespace roost
