#pragma once

#include <string>
#include <vector>

namespace roost {

// One place of a curve: a value, or the range that a bucket of values covers.
struct PlotPoint {
  double x = 0;
  double low = 0;
  double high = 0;
};

// A curve drawn with braille dots, `width` columns by `height` lines of it without the axes, which
// carry the least and greatest values. Points that are not finite are left out. Empty without
// points.
std::string plot(const std::vector<PlotPoint>& points, int width, int height);

// The same in one line of block characters, for a table cell.
std::string sparkline(const std::vector<double>& values, int width);

// Short, but never so short that it misleads: 12, 0.0312, 1.5e-07.
std::string short_number(double value);

}  // namespace roost
