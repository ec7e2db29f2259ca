#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace roost {

// Many small things in one body: `<json header line>\n<length bytes>` again and again, where the
// header is an object whose "length" counts the bytes that follow.
inline constexpr std::string_view kFramesType = "application/x-roost-frames";

void append_frame(std::string& out, Json header, std::string_view payload);

// Frames in memory that is used again and again, for those who send many large ones.
class FrameBuffer {
 public:
  void clear() { used_ = 0; }
  bool empty() const { return used_ == 0; }
  std::string_view bytes() const { return {memory_.data(), used_}; }

  void append(Json header, std::string_view payload);
  // The payload are `length` bytes of a file. False, and nothing is appended, if it has not so many or cannot be read.
  bool append_file(Json header, int fd, std::uint64_t offset, std::size_t length);

 private:
  // Room for a frame, its header filled in; gives where the payload goes.
  char* begin(Json header, std::size_t length);
  std::string memory_;  // never shrinks: filling new memory with zeros would cost as much as copying
  std::size_t used_ = 0;
};

struct Frame {
  Json header;
  std::string payload;
};

// Cuts a stream of bytes, fed in any pieces, into frames. A frame longer than `max_payload` or a bad
// header is an error that stays: whatever came before it has already been handed out.
class FrameReader {
 public:
  explicit FrameReader(std::size_t max_payload) : max_payload_(max_payload) {}

  // Calls `each` for every frame now complete; the first error of `each` or of the bytes ends it.
  Status feed(std::string_view bytes, const std::function<Status(Frame)>& each);
  // kInvalidArgument if the stream ended inside a frame.
  Status finish() const;

 private:
  std::size_t max_payload_;
  std::string pending_;
  bool have_header_ = false;
  Json header_;
  std::size_t length_ = 0;
};

// A frame of a body that is all there; the payload is a part of it.
struct FrameView {
  Json header;
  std::string_view payload;
};

// Calls `each` for every frame of a whole body, without copying any. The errors of FrameReader.
Status each_frame(std::string_view body, std::size_t max_payload, const std::function<Status(FrameView)>& each);

}  // namespace roost
