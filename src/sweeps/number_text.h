#pragma once

#include <string>
#include <utility>

namespace roost {

// Two numbers that are compared in a sentence: three decimals, more if they would look alike.
std::pair<std::string, std::string> compared_numbers(double a, double b);
std::string clause_number(double value);  // "0.814"

}  // namespace roost
