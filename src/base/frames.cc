#include "base/frames.h"

#include <fmt/format.h>

namespace roost {

namespace {
constexpr std::size_t kMaxHeader = 16 * 1024;
}

void append_frame(std::string& out, Json header, std::string_view payload) {
  header["length"] = payload.size();
  out += to_text(header);
  out += '\n';
  out += payload;
}

Status FrameReader::feed(std::string_view bytes, const std::function<Status(Frame)>& each) {
  pending_ += bytes;
  std::size_t used = 0;
  for (;;) {
    const std::string_view rest = std::string_view(pending_).substr(used);
    if (!have_header_) {
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos) {
        if (rest.size() > kMaxHeader) {
          return fail(ErrorCode::kInvalidArgument, "a frame header is longer than 16 KiB");
        }
        break;
      }
      ROOST_TRY(header_, parse_json(rest.substr(0, end), "a frame header", 4));
      if (!header_.is_object() || !header_.contains("length") ||
          !header_["length"].is_number_unsigned()) {
        return fail(ErrorCode::kInvalidArgument,
                    "a frame header must be an object with a whole number \"length\"");
      }
      if (header_["length"].get<std::uint64_t>() > max_payload_) {
        return fail(ErrorCode::kTooLarge,
                    fmt::format("a frame is longer than {} bytes", max_payload_));
      }
      length_ = header_["length"].get<std::size_t>();
      have_header_ = true;
      used += end + 1;
      continue;
    }
    if (rest.size() < length_) break;
    have_header_ = false;
    used += length_;
    ROOST_CHECK(each(Frame{std::move(header_), std::string(rest.substr(0, length_))}));
  }
  pending_.erase(0, used);
  return {};
}

Status FrameReader::finish() const {
  if (!have_header_ && pending_.empty()) return {};
  return fail(ErrorCode::kInvalidArgument, "the body ended in the middle of a frame");
}

}  // namespace roost
