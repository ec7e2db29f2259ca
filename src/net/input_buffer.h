#pragma once

#include <cstring>
#include <memory>
#include <string_view>

#include <boost/asio/buffer.hpp>

namespace roost {

// Bytes received and not yet parsed. Room for a request's head; more when a long body comes.
class InputBuffer {
 public:
  static constexpr std::size_t kSmall = 17 * 1024;
  static constexpr std::size_t kMedium = 64 * 1024;  // also the longest header of a chunk
  static constexpr std::size_t kLarge = 256 * 1024;

  InputBuffer() : bytes_(new char[kSmall]) {}

  std::string_view unread() const { return {bytes_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t size) { begin_ += size; }
  void received(std::size_t size) { end_ += size; }
  bool full() const { return end_ - begin_ == capacity_; }

  // Free space for a read, not to be called while one is under way. Moves unread bytes to the
  // front.
  boost::asio::mutable_buffer space() {
    if (begin_ > 0) {
      std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    return {bytes_.get() + end_, capacity_ - end_};
  }

  // Not while a read is under way.
  void resize(std::size_t capacity) {
    if (capacity == capacity_ || capacity < end_ - begin_) return;
    std::unique_ptr<char[]> bytes(new char[capacity]);
    std::memcpy(bytes.get(), bytes_.get() + begin_, end_ - begin_);
    bytes_ = std::move(bytes);
    end_ -= begin_;
    begin_ = 0;
    capacity_ = capacity;
  }

 private:
  std::size_t capacity_ = kSmall;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::unique_ptr<char[]> bytes_;
};

}  // namespace roost
