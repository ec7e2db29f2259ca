#pragma once

#include <cstdint>
#include <string_view>

namespace roost {

enum class NumberProblem { kNone, kNotANumber, kNotWhole, kTooLarge };

// Reads one JSON number at `at` and moves past it. T is float, double or an integer type; see read_values() for what is
// taken. Nothing is moved where there is a problem.
template <class T>
NumberProblem read_number(const char*& at, const char* end, T& value);

}  // namespace roost
