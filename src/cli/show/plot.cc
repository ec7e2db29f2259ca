#include "cli/show/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "cli/show/text_width.h"

namespace roost {
namespace {

std::string utf8(std::uint32_t code) {  // of U+0800..U+FFFF
  return {static_cast<char>(0xE0U | (code >> 12U)),
          static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)),
          static_cast<char>(0x80U | (code & 0x3FU))};
}

// A grid of dots, 2 by 4 in each character; y counts from the top.
class Dots {
 public:
  Dots(int width, int height)
      : width_(width), height_(height), cells_(static_cast<std::size_t>(width * height), 0) {}

  void set(int x, int y) {
    if (x < 0 || y < 0 || x >= width_ * 2 || y >= height_ * 4) return;
    static constexpr std::uint8_t kBits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cells_[static_cast<std::size_t>(y / 4 * width_ + x / 2)] |= kBits[y % 4][x % 2];
  }

  void line(int x0, int y0, int x1, int y1) {
    const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int i = 0; i <= steps; ++i) {
      const double part = static_cast<double>(i) / steps;
      set(x0 + static_cast<int>(std::lround(part * (x1 - x0))),
          y0 + static_cast<int>(std::lround(part * (y1 - y0))));
    }
  }

  std::string row(int y) const {
    std::string out;
    for (int x = 0; x < width_; ++x) {
      const std::uint8_t bits = cells_[static_cast<std::size_t>(y * width_ + x)];
      out += bits ? utf8(0x2800U + bits) : " ";
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  }

 private:
  int width_;
  int height_;
  std::vector<std::uint8_t> cells_;
};

struct Bounds {
  double low_x, high_x, low_y, high_y;
};

Bounds bounds_of(const std::vector<PlotPoint>& points) {
  Bounds b{points[0].x, points[0].x, points[0].low, points[0].high};
  for (const PlotPoint& p : points) {
    b.low_x = std::min(b.low_x, p.x);
    b.high_x = std::max(b.high_x, p.x);
    b.low_y = std::min(b.low_y, p.low);
    b.high_y = std::max(b.high_y, p.high);
  }
  return b;
}

// Where `value` lies between low and high, as one of `count` places. Halves first, so that the
// range of the largest doubles does not overflow.
int place(double value, double low, double high, int count) {
  if (!(high > low)) return count / 2;
  const double part = (value / 2 - low / 2) / (high / 2 - low / 2);
  return static_cast<int>(std::lround(std::clamp(part, 0.0, 1.0) * (count - 1)));
}

}  // namespace

std::string plot(const std::vector<PlotPoint>& all, int width, int height) {
  std::vector<PlotPoint> points;
  for (const PlotPoint& p : all) {
    if (std::isfinite(p.x) && std::isfinite(p.low) && std::isfinite(p.high)) points.push_back(p);
  }
  if (points.empty() || width < 1 || height < 1) return "";
  std::stable_sort(points.begin(), points.end(),
                   [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
  const Bounds b = bounds_of(points);
  Dots dots(width, height);
  int last_x = -1;
  int last_y = -1;
  for (const PlotPoint& p : points) {
    const int x = place(p.x, b.low_x, b.high_x, width * 2);
    const int top = height * 4 - 1 - place(p.high, b.low_y, b.high_y, height * 4);
    const int bottom = height * 4 - 1 - place(p.low, b.low_y, b.high_y, height * 4);
    dots.line(x, top, x, bottom);
    const int middle = (top + bottom) / 2;
    if (last_x >= 0) dots.line(last_x, last_y, x, middle);
    last_x = x;
    last_y = middle;
  }

  const std::string high = short_number(b.high_y);
  const std::string low = short_number(b.low_y);
  const int labels = std::max(text_width(high), text_width(low));
  std::string out;
  for (int y = 0; y < height; ++y) {
    const std::string label = y == 0 ? high : y == height - 1 ? low : "";
    out += pad_text(label, labels, true) + (label.empty() ? " │" : " ┤") + dots.row(y) + "\n";
  }
  const std::string first = short_number(b.low_x);
  const std::string last = short_number(b.high_x);
  out += std::string(static_cast<std::size_t>(labels), ' ') + " └";
  for (int x = 0; x < width; ++x) out += "─";
  out += "\n" + std::string(static_cast<std::size_t>(labels) + 2, ' ') + first;
  if (b.high_x > b.low_x) {
    out += pad_text(last, std::max(1 + text_width(last), width - text_width(first)), true);
  }
  return out + "\n";
}

std::string sparkline(const std::vector<double>& values, int width) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double v) { return std::isfinite(v); });
  if (finite.empty() || width < 1) return "";
  const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  const std::size_t columns = std::min(finite.size(), static_cast<std::size_t>(width));
  std::string out;
  for (std::size_t i = 0; i < columns; ++i) {
    const double value = finite[columns == 1 ? 0 : i * (finite.size() - 1) / (columns - 1)];
    out += utf8(0x2581U + static_cast<std::uint32_t>(place(value, *low, *high, 8)));
  }
  return out;
}

std::string short_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (value == std::floor(value) && std::fabs(value) < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.5g}", value);
}

}  // namespace roost
