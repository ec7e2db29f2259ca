#include "tensorboard/summary_lines.h"

#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kMostTags = 20'000;  // that are remembered: a run has at most half as many metrics
constexpr std::size_t kMostElements = 100'000;
constexpr std::size_t kLongestName = 1000;
constexpr std::size_t kLongestText = 1 << 20;
constexpr std::string_view kTextSuffix = "/text_summary";  // PyTorch's SummaryWriter adds it to what it was given

std::string metric_name(const std::string& prefix, std::string_view tag) {
  std::string name = to_utf8(prefix + std::string(tag));
  std::erase(name, '\0');
  if (name.size() > kLongestName) {
    std::size_t cut = 0;
    name = to_utf8(std::string_view(name).substr(0, kLongestName), &cut);
  }
  return name.empty() ? "unnamed" : name;
}

std::string_view picture_suffix(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG")) return ".png";
  if (bytes.starts_with("\xFF\xD8\xFF")) return ".jpg";
  if (bytes.starts_with("GIF8")) return ".gif";
  if (bytes.starts_with("RIFF") && bytes.substr(8).starts_with("WEBP")) return ".webp";
  return "";
}

std::string file_name(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 120)) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
    out.push_back(plain ? c : '_');
  }
  return out;
}

// With a point or an exponent: a float is no integer, whatever it is.
std::string number_text(double number) {
  if (std::isnan(number)) return "\"NaN\"";
  if (std::isinf(number)) return number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string hparam_text(const Json& value) {
  if (value.is_string()) return to_utf8(value.get<std::string>());
  return to_text(value);
}

}  // namespace

SummaryLines::Tag SummaryLines::describe(const EventValue& value) const {
  static constexpr std::array<std::pair<std::string_view, Shape>, 5> kPlugins = {{{"scalars", Shape::kScalar},
                                                                                  {"histograms", Shape::kHistogram},
                                                                                  {"images", Shape::kPicture},
                                                                                  {"text", Shape::kText},
                                                                                  {"hparams", Shape::kHparams}}};
  Tag tag;
  tag.plugin = to_utf8(value.plugin);
  if (!value.plugin.empty()) tag.shape = Shape::kOther;
  for (const auto& [plugin, shape] : kPlugins) {
    if (value.plugin == plugin) tag.shape = shape;
  }
  std::string_view name = value.tag;
  if (tag.shape == Shape::kText && name.ends_with(kTextSuffix)) name.remove_suffix(kTextSuffix.size());
  tag.name = metric_name(prefix_, name);
  tag.quoted = to_text(tag.name);
  return tag;
}

SummaryLines::Tag& SummaryLines::tag_of(const EventValue& value) {
  const auto known = tags_.find(value.tag);
  if (known != tags_.end()) return known->second;
  if (tags_.size() >= kMostTags) return other_ = describe(value);
  return tags_.emplace(std::string(value.tag), describe(value)).first->second;
}

void SummaryLines::take(const Event& event, double now, std::string& lines, std::vector<EventPicture>& pictures) {
  const bool has_time = event.wall_time >= 0 && event.wall_time < 1e11;
  const Point point{event.step, has_time ? event.wall_time : now};
  for (const auto& value : event.values) take_value(value, point, lines, pictures);
}

void SummaryLines::take_value(const EventValue& value, const Point& point, std::string& lines,
                              std::vector<EventPicture>& pictures) {
  const Tag& tag = tag_of(value);
  if (tag.shape == Shape::kHparams) {
    const auto session = parse_hparams(value.content);
    if (!session) return leave_out("hparams");
    for (const auto& item : session->items()) hparams_.try_emplace(to_utf8(item.key()), hparam_text(item.value()));
  } else if (value.number) {
    add_scalar(tag, static_cast<double>(*value.number), point, lines);
  } else if (!value.histogram.empty()) {
    const auto table = parse_histogram(value.histogram);
    if (!table) return leave_out("histogram");
    lines += line("table", tag, *table, point);
  } else if (!value.image.empty()) {
    add_picture(tag, value.image, 0, point, pictures);
  } else if (!value.tensor.empty()) {
    if (!take_tensor(tag, value, point, lines, pictures)) leave_out(tag.plugin.empty() ? "tensor" : tag.plugin);
  } else if (value.is_other) {
    leave_out("audio");
  } else if (tag.shape == Shape::kOther) {
    leave_out(tag.plugin);
  }
}

Status SummaryLines::take_tensor(const Tag& tag, const EventValue& value, const Point& point, std::string& lines,
                                 std::vector<EventPicture>& pictures) {
  if (tag.shape == Shape::kOther) return fail(ErrorCode::kInvalidArgument, "not shown");
  ROOST_TRY(const EventTensor tensor, parse_tensor(value.tensor, kMostElements));
  switch (tag.shape) {
    case Shape::kHistogram: {
      ROOST_TRY(const Json table, histogram_of(tensor));
      lines += line("table", tag, table, point);
      return {};
    }
    case Shape::kPicture:
      // Before the pictures stand their width and height.
      for (std::size_t i = 2; i < tensor.strings.size(); ++i) add_picture(tag, tensor.strings[i], i - 2, point, pictures);
      return {};
    case Shape::kText:
      take_text(tag, tensor, point, lines);
      return {};
    default:
      if (tensor.numbers.size() != 1) return fail(ErrorCode::kInvalidArgument, "a scalar has one number");
      add_scalar(tag, tensor.numbers.front(), point, lines);
      return {};
  }
}

void SummaryLines::add_scalar(const Tag& tag, double number, const Point& point, std::string& lines) {
  fmt::format_to(std::back_inserter(lines), "[\"scalar\",{},{},{},{:.6f}]\n", tag.quoted, number_text(number), point.step,
                 point.at);
}

std::string SummaryLines::line(const char* kind, const Tag& tag, const Json& value, const Point& point) {
  return fmt::format("[\"{}\",{},{},{},{:.6f}]\n", kind, tag.quoted, to_text(value), point.step, point.at);
}

void SummaryLines::take_text(const Tag& tag, const EventTensor& tensor, const Point& point, std::string& lines) {
  Json texts = Json::array();
  std::size_t room = kLongestText;
  for (const auto text : tensor.strings) {
    std::size_t cut = 0;
    texts.push_back(to_utf8(text.substr(0, room), &cut));
    room -= std::min(room, text.size());
  }
  if (texts.empty()) return;
  if (texts.size() == 1) {
    lines += line("scalar", tag, texts[0], point);
  } else {
    lines += line("table", tag, {{"text", texts}}, point);
  }
}

void SummaryLines::add_picture(const Tag& tag, std::string_view bytes, std::size_t index, const Point& point,
                               std::vector<EventPicture>& pictures) {
  const std::string_view suffix = picture_suffix(bytes);
  if (suffix.empty()) return leave_out("image of another format");
  const std::string path = fmt::format("images/{}_{}_{:.0f}{}{}", file_name(tag.name), point.step, point.at * 1e6,
                                       index == 0 ? "" : fmt::format("_{}", index), suffix);
  pictures.push_back({path, std::string(bytes), line("image", tag, {{"path", path}}, point)});
}

}  // namespace roost
