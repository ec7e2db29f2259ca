#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace roost {

// TensorBoard's messages, as far as Roost shows them. Everything views the bytes that it was parsed from; what is not
// known is passed over, and what is no message is kInvalidArgument.

struct EventValue {
  std::string_view tag;
  std::string_view plugin;   // whose value it is, if that is said here: writers say it once for each tag
  std::string_view content;  // what the plugin adds to it
  std::optional<float> number;
  std::string_view image;      // a file of a picture format
  std::string_view histogram;  // for parse_histogram
  std::string_view tensor;     // for parse_tensor
  bool is_other = false;       // sound, or what only older versions had
};

struct Event {
  double wall_time = 0;
  std::int64_t step = 0;
  std::vector<EventValue> values;
};
Status parse_event(std::string_view message, Event& event);

struct EventTensor {
  std::vector<std::int64_t> shape;
  std::vector<double> numbers;
  std::vector<std::string_view> strings;
};
// At most `most` elements, more are refused. Of types that no plugin writes there are none.
Result<EventTensor> parse_tensor(std::string_view message, std::size_t most);

// The columns left, right and count of its buckets, as TensorBoard shows them.
Result<Json> parse_histogram(std::string_view message);
// The same of a tensor with three numbers a bucket.
Result<Json> histogram_of(const EventTensor& tensor);

// What the hparams plugin says when a session begins: name -> number, text or boolean. Empty for what else it says.
Result<Json> parse_hparams(std::string_view content);

}  // namespace roost
