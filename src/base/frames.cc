#include "base/frames.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace roost {

namespace {

constexpr std::size_t kMaxHeader = 16 * 1024;

struct Header {
  Json fields;
  std::size_t length = 0;  // of the payload
  std::size_t size = 0;    // of the line with its newline; 0: it is not all there yet
};

Result<Header> read_header(std::string_view bytes, std::size_t max_payload) {
  Header header;
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) {
    if (bytes.size() > kMaxHeader) return fail(ErrorCode::kInvalidArgument, "a frame header is longer than 16 KiB");
    return header;
  }
  ROOST_TRY(header.fields, parse_json(bytes.substr(0, end), "a frame header", 4));
  if (!header.fields.is_object() || !header.fields.contains("length") ||
      !header.fields["length"].is_number_unsigned()) {
    return fail(ErrorCode::kInvalidArgument, "a frame header must be an object with a whole number \"length\"");
  }
  if (header.fields["length"].get<std::uint64_t>() > max_payload) {
    return fail(ErrorCode::kTooLarge, fmt::format("a frame is longer than {} bytes", max_payload));
  }
  header.length = header.fields["length"].get<std::size_t>();
  header.size = end + 1;
  return header;
}

Error cut_off() { return {ErrorCode::kInvalidArgument, "the body ended in the middle of a frame"}; }

}  // namespace

void append_frame(std::string& out, Json header, std::string_view payload) {
  header["length"] = payload.size();
  out += to_text(header);
  out += '\n';
  out += payload;
}

char* FrameBuffer::begin(Json header, std::size_t length) {
  header["length"] = length;
  const std::string line = to_text(header) + '\n';
  const std::size_t end = used_ + line.size() + length;
  if (memory_.size() < end) memory_.resize(end);
  std::memcpy(memory_.data() + used_, line.data(), line.size());
  char* const payload = memory_.data() + used_ + line.size();
  used_ = end;
  return payload;
}

void FrameBuffer::append(Json header, std::string_view payload) {
  char* const place = begin(std::move(header), payload.size());
  if (!payload.empty()) std::memcpy(place, payload.data(), payload.size());
}

bool FrameBuffer::append_file(Json header, int fd, std::uint64_t offset, std::size_t length) {
  const std::size_t before = used_;
  char* const place = begin(std::move(header), length);
  for (std::size_t have = 0; have < length;) {
    const ssize_t got = ::pread(fd, place + have, length - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      used_ = before;
      return false;
    }
    have += static_cast<std::size_t>(got);
  }
  return true;
}

Status FrameReader::feed(std::string_view bytes, const std::function<Status(Frame)>& each) {
  pending_ += bytes;
  std::size_t used = 0;
  for (;;) {
    const std::string_view rest = std::string_view(pending_).substr(used);
    if (!have_header_) {
      ROOST_TRY(Header header, read_header(rest, max_payload_));
      if (header.size == 0) break;
      header_ = std::move(header.fields);
      length_ = header.length;
      have_header_ = true;
      used += header.size;
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
  return fail(cut_off());
}

Status each_frame(std::string_view body, std::size_t max_payload, const std::function<Status(FrameView)>& each) {
  while (!body.empty()) {
    ROOST_TRY(Header header, read_header(body, max_payload));
    if (header.size == 0 || body.size() - header.size < header.length) return fail(cut_off());
    ROOST_CHECK(each({std::move(header.fields), body.substr(header.size, header.length)}));
    body.remove_prefix(header.size + header.length);
  }
  return {};
}

}  // namespace roost
