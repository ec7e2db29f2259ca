#include "tensorboard/event.h"

#include <algorithm>
#include <bit>

#include "wire/proto_wire.h"

namespace roost {
namespace {

using Kind = ProtoField::Kind;

bool is_bytes(const ProtoField& field, std::uint32_t number) {
  return field.number == number && field.kind == Kind::kBytes;
}

Status parse_plugin(std::string_view message, EventValue& value) {
  return each_field(message, [&](const ProtoField& field) -> Status {
    if (is_bytes(field, 1)) value.plugin = field.bytes;
    if (is_bytes(field, 2)) value.content = field.bytes;
    return {};
  });
}

Status parse_metadata(std::string_view message, EventValue& value) {
  return each_field(message, [&](const ProtoField& field) -> Status {
    return is_bytes(field, 1) ? parse_plugin(field.bytes, value) : Status();
  });
}

Status parse_image(std::string_view message, EventValue& value) {
  return each_field(message, [&](const ProtoField& field) -> Status {
    if (is_bytes(field, 4)) value.image = field.bytes;
    return {};
  });
}

Status parse_value(std::string_view message, EventValue& value) {
  return each_field(message, [&](const ProtoField& field) -> Status {
    if (field.number == 2 && field.kind == Kind::kFixed32) {
      value.number = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    }
    if (field.kind != Kind::kBytes) return {};
    switch (field.number) {
      case 1: value.tag = field.bytes; break;
      case 4: return parse_image(field.bytes, value);
      case 5: value.histogram = field.bytes; break;
      case 8: value.tensor = field.bytes; break;
      case 9: return parse_metadata(field.bytes, value);
      case 3:
      case 6: value.is_other = true; break;
      default: break;
    }
    return {};
  });
}

// google.protobuf.Value, of which the plugin takes numbers, texts and booleans.
Result<Json> parse_plain_value(std::string_view message) {
  Json value;
  ROOST_CHECK(each_field(message, [&](const ProtoField& field) -> Status {
    if (field.number == 2 && field.kind == Kind::kFixed64) value = number_json(std::bit_cast<double>(field.value));
    if (is_bytes(field, 3)) value = std::string(field.bytes);
    if (field.number == 4 && field.kind == Kind::kVarint) value = field.value != 0;
    return {};
  }));
  return value;
}

Status parse_session_start(std::string_view message, Json& hparams) {
  return each_field(message, [&](const ProtoField& field) -> Status {
    if (!is_bytes(field, 1)) return {};
    std::string name;
    Json value;
    ROOST_CHECK(each_field(field.bytes, [&](const ProtoField& part) -> Status {
      if (is_bytes(part, 1)) name = std::string(part.bytes);
      if (is_bytes(part, 2)) {
        ROOST_TRY(value, parse_plain_value(part.bytes));
      }
      return {};
    }));
    if (!name.empty() && !value.is_null()) hparams[name] = std::move(value);
    return {};
  });
}

Json buckets() { return {{"left", Json::array()}, {"right", Json::array()}, {"count", Json::array()}}; }

void add_bucket(Json& to, double left, double right, double count) {
  to["left"].push_back(number_json(left));
  to["right"].push_back(number_json(right));
  to["count"].push_back(number_json(count));
}

Status wrong(const char* what) { return fail(ErrorCode::kInvalidArgument, what); }

}  // namespace

Status parse_event(std::string_view message, Event& event) {
  event.wall_time = 0;
  event.step = 0;
  event.values.clear();
  return each_field(message, [&](const ProtoField& field) -> Status {
    if (field.number == 1 && field.kind == Kind::kFixed64) event.wall_time = std::bit_cast<double>(field.value);
    if (field.number == 2 && field.kind == Kind::kVarint) event.step = static_cast<std::int64_t>(field.value);
    if (!is_bytes(field, 5)) return {};
    return each_field(field.bytes, [&](const ProtoField& summary) -> Status {
      if (!is_bytes(summary, 1)) return {};
      return parse_value(summary.bytes, event.values.emplace_back());
    });
  });
}

Result<Json> parse_histogram(std::string_view message) {
  double min = 0;
  double max = 0;
  std::vector<double> limits;
  std::vector<double> counts;
  const auto into = [](std::vector<double>& list) {
    return [&list](std::uint64_t bits) -> Status {
      list.push_back(std::bit_cast<double>(bits));
      return {};
    };
  };
  ROOST_CHECK(each_field(message, [&](const ProtoField& field) -> Status {
    if (field.number == 1 && field.kind == Kind::kFixed64) min = std::bit_cast<double>(field.value);
    if (field.number == 2 && field.kind == Kind::kFixed64) max = std::bit_cast<double>(field.value);
    if (field.number == 6) return each_number(field, Kind::kFixed64, into(limits));
    if (field.number == 7) return each_number(field, Kind::kFixed64, into(counts));
    return {};
  }));
  if (limits.size() != counts.size()) return fail(wrong("a histogram has not as many limits as buckets").error());
  Json table = buckets();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double right = i + 1 == counts.size() ? max : limits[i];
    // PyTorch begins with an empty bucket that ends before the least value.
    add_bucket(table, i == 0 ? std::min(min, right) : limits[i - 1], right, counts[i]);
  }
  return table;
}

Result<Json> histogram_of(const EventTensor& tensor) {
  const bool fits = tensor.shape.size() == 2 && tensor.shape[1] == 3 && tensor.numbers.size() % 3 == 0;
  if (!fits && !tensor.numbers.empty()) return fail(wrong("the tensor of a histogram needs three numbers a bucket").error());
  Json table = buckets();
  for (std::size_t i = 0; i + 2 < tensor.numbers.size(); i += 3) {
    add_bucket(table, tensor.numbers[i], tensor.numbers[i + 1], tensor.numbers[i + 2]);
  }
  return table;
}

Result<Json> parse_hparams(std::string_view content) {
  Json hparams = Json::object();
  ROOST_CHECK(each_field(content, [&](const ProtoField& field) -> Status {
    return is_bytes(field, 3) ? parse_session_start(field.bytes, hparams) : Status();
  }));
  return hparams;
}

}  // namespace roost
