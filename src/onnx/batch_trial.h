#pragma once

#include <optional>
#include <string>

#include "onnx/onnx_session.h"

namespace roost {

// Whether rows of different requests may be computed together, and why not.
struct BatchVerdict {
  bool together = false;
  std::string why;
};

// By the signature: every input and output has a first size that varies, and it has one name for all inputs.
BatchVerdict may_go_together(const ModelFacts& facts);

// By trial: rows give the same together as alone (they do not where the first dimension is time, or is normalised
// over), and a row costs less processor time together than alone, on this machine. Takes some runs.
BatchVerdict try_together(ModelRunner& runner, const ModelFacts& facts, std::int64_t max_batch);

// Processor time, in seconds, that the caller spends on one row of a size as people send it; none if no size is taken.
std::optional<double> try_row(ModelRunner& runner, const ModelFacts& facts);

}  // namespace roost
