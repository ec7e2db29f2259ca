#include "runner/side_start.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runner/side_order.h"

namespace roost {
namespace {

// The offsets and the texts, as side_order.h has them.
std::string packed(const SideProgram& program) {
  std::vector<std::string> texts = program.words;
  for (const auto& [name, value] : program.variables) texts.push_back(name + "=" + value);
  std::vector<std::uint64_t> table(texts.size() + 2, 0);
  std::uint64_t at = table.size() * sizeof(std::uint64_t);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    table[i < program.words.size() ? i : i + 1] = at;
    at += texts[i].size() + 1;
  }
  std::string bytes(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(std::uint64_t));
  for (const auto& text : texts) bytes.append(text.c_str(), text.size() + 1);
  return bytes;
}

Status send_order(int control, const SideOrder& order, const int* descriptors) {
  iovec part{const_cast<SideOrder*>(&order), sizeof order};
  alignas(cmsghdr) char extra[CMSG_SPACE(sizeof(int) * kSideDescriptors)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptors) {
    message.msg_control = extra;
    message.msg_controllen = sizeof extra;
    cmsghdr* const attached = CMSG_FIRSTHDR(&message);
    attached->cmsg_level = SOL_SOCKET;
    attached->cmsg_type = SCM_RIGHTS;
    attached->cmsg_len = CMSG_LEN(sizeof(int) * kSideDescriptors);
    std::memcpy(CMSG_DATA(attached), descriptors, sizeof(int) * kSideDescriptors);
  }
  if (::sendmsg(control, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof order)) return {};
  return fail(ErrorCode::kFailedPrecondition, "the processes of the run have ended");
}

}  // namespace

Result<SideStart::Started> SideStart::start(const SideProgram& program) {
  const std::string bytes = packed(program);
  if (program.words.empty() || bytes.size() > kMostSideBytes) {
    return fail(ErrorCode::kInvalidArgument, "the command with the variables of the run is too long to be started");
  }
  const Fd memory(::memfd_create("roost-side", MFD_CLOEXEC));
  if (!memory) return fail_errno(errno, "start a program in the run");
  ROOST_CHECK(write_all(memory.get(), bytes, "the memory of a program"));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "start a program in the run");
  Fd end(ends[0]);
  const Fd end_theirs(ends[1]);
  const std::lock_guard lock(mutex_);
  SideOrder order;
  order.kind = SideOrder::kStart;
  order.id = ++last_id_;
  order.is_terminal = program.is_terminal ? 1 : 0;
  order.words = static_cast<int>(program.words.size());
  order.variables = static_cast<int>(program.variables.size());
  order.size = bytes.size();
  const int descriptors[kSideDescriptors] = {memory.get(), program.input, program.output, program.errors, end_theirs.get()};
  ROOST_CHECK(send_order(control_.get(), order, descriptors));
  return Started{order.id, std::move(end)};
}

void SideStart::signal(int id, int signal) {
  SideOrder order;
  order.kind = SideOrder::kSignal;
  order.id = id;
  order.signal = signal;
  const std::lock_guard lock(mutex_);
  (void)send_order(control_.get(), order, nullptr);
}

}  // namespace roost
