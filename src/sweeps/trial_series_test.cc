#include "sweeps/trial_series.h"

#include <cmath>

#include <gtest/gtest.h>

namespace roost {
namespace {

std::vector<LoggedValue> plain(std::initializer_list<double> values) {
  std::vector<LoggedValue> all;
  for (const double value : values) all.push_back({value, std::nullopt});
  return all;
}

std::vector<LoggedValue> stepped(std::int64_t first, std::initializer_list<double> values) {
  std::vector<LoggedValue> all;
  for (const double value : values) all.push_back({value, first++});
  return all;
}

using Values = std::vector<double>;

TEST(TrialSeries, WhatWasPausedGoesOn) {
  TrialSeries series;
  series.add(plain({1, 2}));
  series.add(plain({3}));
  series.next_attempt(true);
  series.add({});
  EXPECT_EQ(series.values(), (Values{1, 2, 3}));
  series.add(plain({4}));
  EXPECT_EQ(series.values(), (Values{1, 2, 3, 4}));
  EXPECT_EQ(series.attempt(), 2);
  EXPECT_EQ(series.count_of_attempt(), 1);
}

TEST(TrialSeries, WhatWasLostBeginsAnewOnceItLogs) {
  TrialSeries series;
  series.add(plain({1, 2}));
  series.next_attempt(false);
  EXPECT_EQ(series.values(), (Values{1, 2}));
  series.next_attempt(true);
  series.add(plain({7}));
  EXPECT_EQ(series.values(), Values{7}) << "the one between had logged nothing, so nothing goes on";
}

TEST(TrialSeries, StepsTellWhereItGoesOn) {
  for (const bool goes_on : {true, false}) {
    TrialSeries series;
    series.add(stepped(0, {1, 2, 3}));
    series.next_attempt(goes_on);
    series.add(stepped(2, {30, 40}));
    EXPECT_EQ(series.values(), (Values{1, 2, 30, 40}));
    series.next_attempt(goes_on);
    series.add(stepped(0, {5}));
    EXPECT_EQ(series.values(), Values{5}) << "it began at the beginning";
    series.next_attempt(goes_on);
    series.add(stepped(9, {6}));
    EXPECT_EQ(series.values(), (Values{5, 6}));
  }
}

TEST(TrialSeries, NothingIsInfinitelyGood) {
  TrialSeries series;
  series.add(plain({1 / 0.0, -1 / 0.0, 2}));
  EXPECT_TRUE(std::isnan(series.values()[0]) && std::isnan(series.values()[1]));
  EXPECT_EQ(series.values()[2], 2);
}

TEST(TrialSeries, InheritsNoMoreThanThereIs) {
  TrialSeries source;
  source.add(stepped(0, {1, 2, 3}));
  TrialSeries series;
  series.inherit(source, 2);
  EXPECT_EQ(series.values(), (Values{1, 2}));
  series.add(stepped(2, {9}));
  EXPECT_EQ(series.values(), (Values{1, 2, 9}));
  TrialSeries all;
  all.inherit(source, 99);
  EXPECT_EQ(all.values(), (Values{1, 2, 3}));
  EXPECT_EQ(all.count_of_attempt(), 0);
}

}  // namespace
}  // namespace roost
