#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorboard/event.h"

namespace roost {

// A picture that an event has: a file of its own, and the line that names it once it is stored.
struct EventPicture {
  std::string path;  // among the run's files
  std::string bytes;
  std::string line;
};

// What one event file tells a run, as lines of its spool (docs/spool.md): scalars, histograms (tables of left, right and
// count), pictures, texts and the hyperparameters of the hparams plugin.
class SummaryLines {
 public:
  // `prefix` comes before each tag: "" or "train/".
  explicit SummaryLines(std::string prefix) : prefix_(std::move(prefix)) {}

  // `now` in Unix seconds is taken where an event's time is none.
  void take(const Event& event, double now, std::string& lines, std::vector<EventPicture>& pictures);
  // name -> value, of the sessions so far; whoever reads several files takes them once.
  std::map<std::string, std::string>& hparams() { return hparams_; }
  // What was not taken: how many values of which kind.
  const std::map<std::string, std::uint64_t>& left_out() const { return left_out_; }

 private:
  enum class Shape { kPlain, kScalar, kHistogram, kPicture, kText, kHparams, kOther };
  struct Tag {
    Shape shape = Shape::kPlain;  // by its plugin; plain: by the value alone
    std::string plugin;
    std::string name;    // of the metric
    std::string quoted;  // as JSON
  };
  struct Point {
    std::int64_t step;
    double at;
  };
  Tag& tag_of(const EventValue& value);
  Tag describe(const EventValue& value) const;
  void take_value(const EventValue& value, const Point& point, std::string& lines, std::vector<EventPicture>& pictures);
  Status take_tensor(const Tag& tag, const EventValue& value, const Point& point, std::string& lines,
                     std::vector<EventPicture>& pictures);
  void add_scalar(const Tag& tag, double number, const Point& point, std::string& lines);
  static std::string line(const char* kind, const Tag& tag, const Json& value, const Point& point);
  void add_picture(const Tag& tag, std::string_view bytes, std::size_t index, const Point& point,
                   std::vector<EventPicture>& pictures);
  void take_text(const Tag& tag, const EventTensor& tensor, const Point& point, std::string& lines);
  void leave_out(const std::string& kind) { ++left_out_[kind]; }

  const std::string prefix_;
  std::map<std::string, Tag, std::less<>> tags_;
  Tag other_;  // the last of those that are not remembered
  std::map<std::string, std::string> hparams_;
  std::map<std::string, std::uint64_t> left_out_;
};

}  // namespace roost
