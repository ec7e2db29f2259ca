#include "tensorboard/event.h"

#include <gtest/gtest.h>

#include "tensorboard/event_records.h"
#include "tensorboard/summary_lines.h"
#include "tensorboard/tag_prefix.h"
#include "tensorboard/test_events.h"

namespace roost {
namespace {

using Kind = EventRecord::Kind;

struct Taken {
  std::string lines;
  std::vector<EventPicture> pictures;
};

Taken take(SummaryLines& lines, const std::string& records) {
  Taken taken;
  std::string_view rest = records;
  Event event;
  while (!rest.empty()) {
    const EventRecord record = next_event_record(rest);
    EXPECT_EQ(record.kind, Kind::kWhole);
    EXPECT_TRUE(parse_event(record.data, event));
    lines.take(event, 7, taken.lines, taken.pictures);
    rest.remove_prefix(record.size);
  }
  return taken;
}

std::string lines_of(const std::string& records, const std::string& prefix = "") {
  SummaryLines lines(prefix);
  return take(lines, records).lines;
}

std::string tensor_shape(std::initializer_list<std::uint64_t> sizes) {
  std::string shape;
  for (const auto size : sizes) shape += bytes_field(2, varint_field(1, size));
  return bytes_field(2, shape);
}

TEST(EventRecords, SumsAreThoseOfTensorFlow) {
  // crc32c("123456789") is 0xE3069283.
  EXPECT_EQ(masked_crc32c("123456789"), ((0xE3069283U >> 15) | (0xE3069283U << 17)) + 0xA282EAD8U);
  EXPECT_EQ(masked_crc32c(""), 0xA282EAD8U);
}

TEST(EventRecords, ATailIsWaitedFor) {
  const std::string record = event_record("some event");
  for (std::size_t size = 0; size < record.size(); ++size) {
    const auto next = next_event_record(std::string_view(record).substr(0, size));
    EXPECT_EQ(next.kind, Kind::kPartial) << size;
    EXPECT_GT(next.size, size);
  }
  EXPECT_EQ(next_event_record(record).data, "some event");
  EXPECT_EQ(next_event_record(std::string(100, '\0')).kind, Kind::kPartial) << "allocated, not written";
}

TEST(EventRecords, WhatIsCorruptIsPassedOver) {
  std::string record = event_record("one");
  record[13] ^= 1;
  EXPECT_EQ(next_event_record(record).kind, Kind::kCorrupt);
  EXPECT_EQ(next_event_record(record).size, record.size());
  const std::string after = "garbage that is no record" + event_record("two");
  const auto garbage = next_event_record(after);
  EXPECT_EQ(garbage.kind, Kind::kCorrupt);
  EXPECT_EQ(next_event_record(std::string_view(after).substr(garbage.size)).data, "two");
  const std::string length = little(kLongestEvent + 1, 8);
  const auto huge = next_event_record(length + little(masked_crc32c(length), 4));
  EXPECT_EQ(huge.kind, Kind::kHuge);
  EXPECT_EQ(huge.size, kLongestEvent + 17);
}

TEST(SummaryLines, ScalarsKeepTheirBits) {
  EXPECT_EQ(lines_of(first_event(1) + scalar_event("loss", 3, 1763240000.5, 0.1F)),
            "[\"scalar\",\"loss\",0.10000000149011612,3,1763240000.500000]\n");
  EXPECT_EQ(lines_of(scalar_event("a\"b", -1, 2, 3), "train/"), "[\"scalar\",\"train/a\\\"b\",3.0,-1,2.000000]\n");
  EXPECT_EQ(lines_of(scalar_event("x", 0, 2, NAN)), "[\"scalar\",\"x\",\"NaN\",0,2.000000]\n");
  EXPECT_EQ(lines_of(scalar_event("x", 0, -1, -INFINITY)), "[\"scalar\",\"x\",\"-Infinity\",0,7.000000]\n") << "no time";
}

TEST(SummaryLines, ATensorIsAScalarAndTheTagIsRememberedToBeOne) {
  const std::string content = varint_field(1, 1) + tensor_shape({}) + bytes_field(4, little(std::bit_cast<std::uint32_t>(2.5F), 4));
  const std::string values = varint_field(1, 2) + tensor_shape({}) + double_field(6, 4.5);
  EXPECT_EQ(lines_of(value_event("acc", 1, 5, plugin_field("scalars") + bytes_field(8, content)) +
                     value_event("acc", 2, 6, bytes_field(8, values))),
            "[\"scalar\",\"acc\",2.5,1,5.000000]\n[\"scalar\",\"acc\",4.5,2,6.000000]\n");
}

TEST(SummaryLines, HistogramsBecomeTables) {
  std::string proto = double_field(1, -1) + double_field(2, 3);
  for (const double limit : {0.0, 1.0, 1e300}) proto += double_field(6, limit);
  proto += bytes_field(7, little(std::bit_cast<std::uint64_t>(1.0), 8) + little(std::bit_cast<std::uint64_t>(0.0), 8) +
                              little(std::bit_cast<std::uint64_t>(2.0), 8));
  const std::string table = "{\"count\":[1.0,0.0,2.0],\"left\":[-1.0,0.0,1.0],\"right\":[0.0,1.0,3.0]}";
  EXPECT_EQ(lines_of(value_event("w", 1, 5, bytes_field(5, proto))), "[\"table\",\"w\"," + table + ",1,5.000000]\n");
  std::string tensor = varint_field(1, 2) + tensor_shape({3, 3});
  for (const double number : {-1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 3.0, 2.0}) tensor += double_field(6, number);
  EXPECT_EQ(lines_of(value_event("w", 1, 5, plugin_field("histograms") + bytes_field(8, tensor))),
            "[\"table\",\"w\"," + table + ",1,5.000000]\n");
}

TEST(SummaryLines, PicturesGoBesideTheirLines) {
  SummaryLines lines("");
  const std::string old = bytes_field(4, varint_field(1, 2) + bytes_field(4, "\x89PNG one"));
  const std::string tensor = varint_field(1, 7) + bytes_field(8, "2") + bytes_field(8, "2") + bytes_field(8, "\x89PNG two") +
                             bytes_field(8, "\xFF\xD8\xFF three") + bytes_field(8, "what is this");
  const Taken taken = take(lines, value_event("a/b", 4, 5, old) + value_event("c", 4, 5, plugin_field("images") + bytes_field(8, tensor)));
  EXPECT_EQ(taken.lines, "");
  ASSERT_EQ(taken.pictures.size(), 3U);
  EXPECT_EQ(taken.pictures[0].path, "images/a_b_4_5000000.png");
  EXPECT_EQ(taken.pictures[0].bytes, "\x89PNG one");
  EXPECT_EQ(taken.pictures[0].line, "[\"image\",\"a/b\",{\"path\":\"images/a_b_4_5000000.png\"},4,5.000000]\n");
  EXPECT_EQ(taken.pictures[2].path, "images/c_4_5000000_1.jpg");
  EXPECT_EQ(lines.left_out().at("image of another format"), 1U);
}

TEST(SummaryLines, TextsAndWhatIsNotShown) {
  const std::string text = varint_field(1, 7) + bytes_field(8, "hello\xFF");
  EXPECT_EQ(lines_of(value_event("note/text_summary", 4, 5, plugin_field("text") + bytes_field(8, text))),
            "[\"scalar\",\"note\",\"hello\xEF\xBF\xBD\",4,5.000000]\n");
  EXPECT_EQ(lines_of(value_event("note", 4, 5, plugin_field("text") + bytes_field(8, text + bytes_field(8, "you")))),
            "[\"table\",\"note\",{\"text\":[\"hello\xEF\xBF\xBD\",\"you\"]},4,5.000000]\n");
  SummaryLines lines("");
  EXPECT_EQ(take(lines, value_event("c", 4, 5, plugin_field("pr_curves") + bytes_field(8, text)) +
                            value_event("d", 4, 5, bytes_field(6, "sound"))).lines, "");
  EXPECT_EQ(lines.left_out(), (std::map<std::string, std::uint64_t>{{"audio", 1}, {"pr_curves", 1}}));
}

TEST(SummaryLines, HyperparametersOfASession) {
  const auto entry = [](std::string_view name, const std::string& value) {
    return bytes_field(1, bytes_field(1, name) + bytes_field(2, value));
  };
  const std::string session = entry("lr", double_field(2, 0.1)) + entry("layers", double_field(2, 3)) +
                              entry("name", bytes_field(3, "adam")) + entry("big", varint_field(4, 1));
  SummaryLines lines("");
  take(lines, value_event("_hparams_/session_start_info", 0, 5, plugin_field("hparams", bytes_field(3, session))));
  EXPECT_EQ(lines.hparams(), (std::map<std::string, std::string>{{"lr", "0.1"}, {"layers", "3.0"}, {"name", "adam"}, {"big", "true"}}));
}

TEST(SummaryLines, ATensorThatClaimsMoreThanItHasIsLeftOut) {
  SummaryLines lines("");
  const std::string tensor = varint_field(1, 1) + tensor_shape({1ULL << 40, 1ULL << 40}) + float_field(5, 1);
  EXPECT_EQ(take(lines, value_event("x", 0, 5, bytes_field(8, tensor))).lines, "");
  EXPECT_EQ(lines.left_out().at("tensor"), 1U);
}

TEST(TagPrefix, FoldersThatFrameworksMakeUpAreLeftOut) {
  const auto one = [](const std::string& folder) { return TagPrefixes().prefix_of(folder); };
  EXPECT_EQ(one(""), "");
  EXPECT_EQ(one("train"), "train/");
  EXPECT_EQ(one("runs/Nov18_20-12-01_host"), "");
  EXPECT_EQ(one("tb/runs/Nov18_20-12-01_host"), "tb/");
  EXPECT_EQ(one("lightning_logs/version_0"), "");
  EXPECT_EQ(one("fit/20261118-201201/train"), "fit/train/");
  EXPECT_EQ(one("1763497123.4821"), "");
  EXPECT_EQ(one("version_b"), "version_b/");
}

TEST(TagPrefix, ASecondOneKeepsItsWholeName) {
  TagPrefixes prefixes;
  EXPECT_EQ(prefixes.prefix_of("lightning_logs/version_0"), "");
  EXPECT_EQ(prefixes.prefix_of("lightning_logs/version_0/1763497123.4821"), "") << "of the same";
  EXPECT_EQ(prefixes.prefix_of("lightning_logs/version_1"), "lightning_logs/version_1/");
  EXPECT_EQ(prefixes.prefix_of("lightning_logs/version_0"), "");
  EXPECT_EQ(prefixes.prefix_of("train"), "train/");
}

}  // namespace
}  // namespace roost
