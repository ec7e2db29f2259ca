#include "runner/event_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/open_beneath.h"
#include "base/text.h"
#include "tensorboard/event_records.h"

namespace roost {

EventFile::Read EventFile::read(int fd, std::uint64_t size, Micros now) {
  Read read;
  const std::uint64_t want = std::max<std::uint64_t>(kWindow, needed_ > at_ ? needed_ - at_ : 0);
  const std::string bytes = read_at(fd, at_, static_cast<std::size_t>(std::min(want, size > at_ ? size - at_ : 0)));
  std::string_view rest = bytes;
  Event event;
  while (!rest.empty()) {
    const EventRecord record = next_event_record(rest);
    needed_ = at_ + record.size;
    if (record.kind == EventRecord::Kind::kPartial) break;
    if (record.kind == EventRecord::Kind::kWhole && parse_event(record.data, event)) {
      lines_.take(event, static_cast<double>(now) / kSecond, read.lines, read.pictures);
    } else {
      (record.kind == EventRecord::Kind::kHuge ? huge_ : corrupt_) += record.size;
    }
    at_ += record.size;
    rest.remove_prefix(static_cast<std::size_t>(std::min<std::uint64_t>(record.size, rest.size())));
    // A picture is kept in memory until it was sent.
    if (!read.pictures.empty()) break;
  }
  read.more = !bytes.empty() && wants(size);
  return read;
}

void EventFile::tell(const std::string& name, std::uint64_t size, Notices& notices) const {
  std::vector<std::string> all;
  if (corrupt_ > 0) all.push_back(fmt::format("{} of it are no events and were passed over", human_bytes(corrupt_)));
  if (huge_ > 0) all.push_back(fmt::format("has events of more than {}, which were left out", human_bytes(kLongestEvent)));
  if (size > at_) all.push_back("ends in the middle of an event");
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : lines_.left_out()) kinds.push_back(fmt::format("{} ({})", kind, count));
  if (!kinds.empty()) all.push_back(fmt::format("has values of TensorBoard that are not shown: {}", fmt::join(kinds, ", ")));
  if (!all.empty()) notices.add(name, fmt::format("{}", fmt::join(all, "; ")));
}

}  // namespace roost
