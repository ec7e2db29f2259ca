#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "infer/tensor.h"

namespace roost {

// Rows of requests that are computed together. Pure.

// The size of the first dimension that all inputs have; -1 if they have none, or not the same.
std::int64_t rows_of(std::span<const Tensor> inputs);

// Whether two requests can be one: the same inputs in the same order, the same types and sizes but for the rows.
bool go_together(std::span<const Tensor> one, std::span<const Tensor> other);

// The inputs of all, row under row, in memory of their own. They go together.
std::vector<Tensor> join_rows(std::span<const std::span<const Tensor>> requests);

// Rows `from` to `to` of each tensor, where they lie. Each has at least so many rows.
std::vector<Tensor> slice_rows(std::span<const Tensor> tensors, std::int64_t from, std::int64_t to);

}  // namespace roost
