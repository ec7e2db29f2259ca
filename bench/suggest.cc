// Plays a sampler by lines of JSON, for bench/measures/sweeps.py and for trying samplers out. The first line is
// {"space": [...], "sampling": {...}, "trials": [[parameters, value], ...]}; each further one the value of the trial that was suggested last, to be minimised.
// Answers each with {"parameters": {...}, "cpu_seconds": ...}, the time of this thread's CPU that the suggestion took.
#include <time.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "base/json.h"
#include "sweeps/sampler.h"
#include "sweeps/suggester.h"

namespace roost {
namespace {

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

Status play() {
  std::string line;
  std::getline(std::cin, line);
  ROOST_TRY(const Json start, parse_json(line, "the line"));
  ROOST_TRY(const SearchSpace space, parse_search_space(start.value("space", Json())));
  ROOST_TRY(const SamplingSettings settings, parse_sampling(start.value("sampling", Json()), space));
  Suggester suggester(settings, space, Goal::kMinimize);
  std::int64_t number = 0;
  for (const Json& known : start.value("trials", Json::array())) {
    suggester.put({number++, known.at(0), TrialState::kCompleted, {known.at(1).get<double>()}});
  }
  for (;; ++number) {
    const double begin = cpu_seconds();
    const auto parameters = suggester.suggest(number);
    const double seconds = cpu_seconds() - begin;
    std::cout << Json{{"parameters", parameters.value_or(Json())}, {"cpu_seconds", seconds}}.dump() << std::endl;
    if (!parameters || !std::getline(std::cin, line)) return {};
    ROOST_TRY(const Json value, parse_json(line, "the line"));
    suggester.put({number, *parameters, TrialState::kCompleted, {value.get<double>()}});
  }
}

}  // namespace
}  // namespace roost

int main() {
  const auto done = roost::play();
  if (done) return 0;
  std::cerr << done.error().message << "\n";
  return 1;
}
