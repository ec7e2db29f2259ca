#include "score/worker_frames.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace roost {
namespace {

constexpr std::size_t kSizes = 12;
constexpr std::uint32_t kMostHead = 16 << 20;

tl::unexpected<Error> gone(int errnum = 0) {
  return fail(Error{ErrorCode::kUnavailable, "the worker process has ended", errnum});
}

// Until the socket can be read or written, or nobody is there any more.
Status wait_for(const WorkerLine& line, short events, SteadyTime deadline) {
  for (;;) {
    int limit = -1;
    if (deadline != SteadyTime::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
      if (left <= 0) return fail(ErrorCode::kDeadlineExceeded, "the worker did not answer in time");
      limit = static_cast<int>(std::min<long long>(left, 60'000));
    }
    pollfd waits[] = {{line.socket, events, 0}, {line.ended, POLLIN, 0}};
    if (::poll(waits, 2, limit) < 0) {
      if (errno == EINTR) continue;
      return fail_errno(errno, "wait for a worker");
    }
    if ((waits[0].revents & (events | POLLHUP | POLLERR)) != 0) return {};  // first: what it wrote before it ended
    if (waits[1].revents != 0) return gone();
  }
}

Status receive_all(const WorkerLine& line, char* place, std::size_t size, SteadyTime deadline) {
  while (size > 0) {
    const ssize_t count = ::recv(line.socket, place, size, MSG_DONTWAIT);
    if (count == 0) return gone();
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      ROOST_CHECK(wait_for(line, POLLIN, deadline));
      continue;
    }
    if (count < 0) return gone(errno);
    place += count;
    size -= static_cast<std::size_t>(count);
  }
  return {};
}

}  // namespace

// A socket that is closed with bytes unread in it resets the other side, and a frame is read to its end before it counts.
bool was_not_read(const Error& error) { return error.errnum == ECONNRESET || error.errnum == EPIPE; }

Status send_frame(const WorkerLine& line, const Json& head, std::string_view body, SteadyTime deadline) {
  const std::string text = to_text(head);
  char sizes[kSizes];
  const auto head_size = static_cast<std::uint32_t>(text.size());
  const std::uint64_t body_size = body.size();
  std::memcpy(sizes, &head_size, sizeof head_size);
  std::memcpy(sizes + sizeof head_size, &body_size, sizeof body_size);
  iovec parts[] = {{sizes, kSizes},
                   {const_cast<char*>(text.data()), text.size()},
                   {const_cast<char*>(body.data()), body.size()}};
  std::size_t at = 0;
  while (at < std::size(parts)) {
    if (parts[at].iov_len == 0) {
      ++at;
      continue;
    }
    msghdr message{};
    message.msg_iov = parts + at;
    message.msg_iovlen = std::size(parts) - at;
    const ssize_t sent = ::sendmsg(line.socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) {
      ROOST_CHECK(wait_for(line, POLLOUT, deadline));
      continue;
    }
    if (sent < 0) return gone(errno);
    for (auto left = static_cast<std::size_t>(sent); left > 0;) {
      const std::size_t step = std::min(left, parts[at].iov_len);
      parts[at].iov_base = static_cast<char*>(parts[at].iov_base) + step;
      parts[at].iov_len -= step;
      left -= step;
      if (parts[at].iov_len == 0) ++at;
    }
  }
  return {};
}

Result<WorkerFrame> receive_frame(const WorkerLine& line, std::uint64_t max_body, SteadyTime deadline) {
  char sizes[kSizes];
  ROOST_CHECK(receive_all(line, sizes, kSizes, deadline));
  std::uint32_t head_size = 0;
  std::uint64_t body_size = 0;
  std::memcpy(&head_size, sizes, sizeof head_size);
  std::memcpy(&body_size, sizes + sizeof head_size, sizeof body_size);
  if (head_size > kMostHead || body_size > max_body) {
    return fail(ErrorCode::kTooLarge, "the answer of the worker is too long: " + std::to_string(body_size) + " bytes");
  }
  std::string head(head_size, '\0');
  ROOST_CHECK(receive_all(line, head.data(), head.size(), deadline));
  WorkerFrame frame;
  ROOST_TRY(frame.head, parse_json(head, "the head of a worker's frame"));
  if (!frame.head.is_object()) return fail(ErrorCode::kInvalidArgument, "the head of a worker's frame must be an object");
  frame.body.resize(body_size);
  ROOST_CHECK(receive_all(line, frame.body.data(), frame.body.size(), deadline));
  return frame;
}

}  // namespace roost
