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

}  // namespace roost
