// Event files of TensorBoard: whatever bytes they have, each is passed at most once and every line is one of a spool.
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/spool_record.h"
#include "tensorboard/event_records.h"
#include "tensorboard/summary_lines.h"

namespace {

void take(roost::SummaryLines& lines, std::string_view message) {
  roost::Event event;
  if (!roost::parse_event(message, event)) return;
  std::string text;
  std::vector<roost::EventPicture> pictures;
  lines.take(event, 1, text, pictures);
  for (const auto& picture : pictures) text += picture.line;
  std::string_view rest = text;
  roost::SpoolRecord record;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos || !roost::parse_spool_line(rest.substr(0, end), record)) __builtin_trap();
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  roost::SummaryLines lines("a/");
  take(lines, rest);  // the sums keep most inputs out of the records
  while (!rest.empty()) {
    const auto record = roost::next_event_record(rest);
    if (record.size == 0) __builtin_trap();
    if (record.kind == roost::EventRecord::Kind::kPartial) break;
    if (record.kind == roost::EventRecord::Kind::kWhole) take(lines, record.data);
    if (record.size > rest.size()) break;
    rest.remove_prefix(record.size);
  }
  return 0;
}
