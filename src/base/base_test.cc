#include <fcntl.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/clock.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/frames.h"
#include "base/json.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "base/yaml.h"

namespace roost {
namespace {

TEST(Clock, FormatsAndParsesBack) {
  const Micros time = 1'794'776'400'123'456;
  EXPECT_EQ(format_time(time), "2026-11-15T21:00:00.123456Z");
  EXPECT_EQ(parse_time("2026-11-15T21:00:00.123456Z").value(), time);
  EXPECT_EQ(parse_time("2026-11-15T23:00:00.123456+02:00").value(), time);
  EXPECT_EQ(parse_time("2026-11-15").value(), 1'794'700'800'000'000);
  for (const char* bad : {"", "yesterday", "2026-13-01", "2026-11-15T25:00:00Z", "2026-11-15T21:00:00",
                          "2026-11-15T21:00:00.Z", "2026-11-15T21:00:00Zx"}) {
    EXPECT_FALSE(parse_time(bad)) << bad;
  }
}

TEST(Digest, KnownAnswers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 hash;
  hash.update("a");
  hash.update("bc");
  EXPECT_EQ(hash.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash.hex(), sha256_hex(""));
  EXPECT_TRUE(is_digest(sha256_hex("x")));
  EXPECT_FALSE(is_digest("../../etc/passwd"));
  EXPECT_NE(random_hex(8), random_hex(8));
}

TEST(Json, RoundTripsDoublesAndNamesTheUndefinedOnes) {
  for (const double value : {0.1, 1e-300, 123456789.123456789, 5e-324}) {
    EXPECT_EQ(parse_json(to_text(value), "x")->get<double>(), value);
  }
  EXPECT_EQ(number_json(std::nan("")), "NaN");
  EXPECT_TRUE(std::isinf(*json_number("-Infinity")));
  EXPECT_FALSE(json_number("loss"));
}

TEST(Json, RefusesWhatIsNotJsonWithAReason) {
  for (const std::string text : {"", "{", "{\"a\":}", "nul", "\"\xff\"", "[1,]"}) {
    const auto parsed = parse_json(text, "the request body");
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find("the request body"), std::string::npos);
  }
  EXPECT_FALSE(parse_json(std::string(100'000, '['), "x"));
}

TEST(JsonFields, NamesTheFirstWrongField) {
  const Json object = {{"name", 3}, {"count", 1e30}, {"extra", 1}};
  JsonFields fields(object, "the run");
  fields.string("name");
  fields.integer("count", 0, 0, 10);
  const auto done = fields.done();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "\"name\" in the run must be a string");

  const Json unknown = {{"nmae", "x"}};
  JsonFields other(unknown, "the run");
  other.string("name");
  EXPECT_NE(other.done().error().message.find("nmae"), std::string::npos);
}

TEST(Frames, AnyCutGivesTheSameFrames) {
  std::string bytes;
  append_frame(bytes, {{"digest", "a"}}, "hello\nworld");
  append_frame(bytes, {{"digest", "b"}}, "");
  append_frame(bytes, {{"digest", "c"}}, std::string(1000, '\0'));
  for (std::size_t step : {1U, 3U, 7U, 5000U}) {
    FrameReader reader(1 << 20);
    std::vector<std::string> payloads;
    for (std::size_t i = 0; i < bytes.size(); i += step) {
      ASSERT_TRUE(reader.feed(std::string_view(bytes).substr(i, step), [&](Frame frame) -> Status {
        payloads.push_back(frame.payload);
        return {};
      }));
    }
    ASSERT_TRUE(reader.finish());
    ASSERT_EQ(payloads.size(), 3U);
    EXPECT_EQ(payloads[0], "hello\nworld");
    EXPECT_EQ(payloads[2].size(), 1000U);
  }
  FrameReader cut(1 << 20);
  ASSERT_TRUE(cut.feed(std::string_view(bytes).substr(0, 20), [](Frame) -> Status { return {}; }));
  EXPECT_FALSE(cut.finish());
  FrameReader small(5);
  EXPECT_EQ(small.feed(bytes, [](Frame) -> Status { return {}; }).error().code, ErrorCode::kTooLarge);
}

TEST(Frames, AWholeBodyIsReadWhereItLies) {
  std::string bytes;
  append_frame(bytes, {{"digest", "a"}}, "hello\nworld");
  append_frame(bytes, {{"digest", "b"}}, "");
  std::vector<std::string_view> payloads;
  const auto keep = [&](const FrameView& frame) -> Status {
    payloads.push_back(frame.payload);
    return {};
  };
  ASSERT_TRUE(each_frame(bytes, 1 << 20, keep));
  ASSERT_EQ(payloads.size(), 2U);
  EXPECT_EQ(payloads[0], "hello\nworld");
  EXPECT_TRUE(payloads[0].data() > bytes.data() && payloads[0].data() < bytes.data() + bytes.size());
  EXPECT_TRUE(each_frame("", 5, keep));
  for (const std::size_t cut : {1UL, 20UL, bytes.size() - 1}) {
    EXPECT_EQ(each_frame(std::string_view(bytes).substr(0, cut), 1 << 20, keep).error().code,
              ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(each_frame(bytes, 5, keep).error().code, ErrorCode::kTooLarge);
}

TEST(Frames, ABufferHasTheFramesOfTextAndFiles) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / ("frames-" + random_hex(4));
  ASSERT_TRUE(write_file_atomic(file, "0123456789"));
  const auto text = [](FrameBuffer& buffer, int fd) {
    buffer.clear();
    buffer.append({{"stream", "a"}}, "hello");
    EXPECT_TRUE(buffer.append_file({{"stream", "b"}}, fd, 3, 4));
    EXPECT_FALSE(buffer.append_file({{"stream", "c"}}, fd, 8, 5)) << "the file is not so long";
    buffer.append({{"stream", "d"}}, "");
    return std::string(buffer.bytes());
  };
  std::string expected;
  append_frame(expected, {{"stream", "a"}}, "hello");
  append_frame(expected, {{"stream", "b"}}, "3456");
  append_frame(expected, {{"stream", "d"}}, "");
  const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  FrameBuffer buffer;
  buffer.append({{"stream", "long"}}, std::string(1000, 'x'));
  EXPECT_EQ(text(buffer, fd.get()), expected);
  EXPECT_EQ(text(buffer, fd.get()), expected);
  std::filesystem::remove(file);
}

TEST(Files, SafeRelativePaths) {
  for (const char* good : {"a", "a/b.py", "..a/b..", "a b"}) EXPECT_TRUE(is_safe_relative_path(good));
  for (const std::string& bad : {std::string(""), std::string("/a"), std::string("a/"), std::string("a//b"),
                                std::string("../a"), std::string("a/../b"), std::string("./a"),
                                std::string("a\0b", 3), std::string(5000, 'a')}) {
    EXPECT_FALSE(is_safe_relative_path(bad)) << bad;
  }
}

TEST(Files, AtomicWriteReplacesAndLockRefusesASecondHolder) {
  const auto folder = std::filesystem::path(testing::TempDir()) / ("files-" + random_hex(4));
  ASSERT_TRUE(make_folders(folder));
  ASSERT_TRUE(write_file_atomic(folder / "a", "one"));
  ASSERT_TRUE(write_file_atomic(folder / "a", "two"));
  EXPECT_EQ(read_file(folder / "a").value(), "two");
  ASSERT_TRUE(copy_file(folder / "a", folder / "b", 0755));
  EXPECT_EQ(read_file(folder / "b").value(), "two");
  EXPECT_EQ(read_file(folder / "absent").error().code, ErrorCode::kNotFound);
  {
    const auto held = lock_file(folder / "lock", "busy");
    ASSERT_TRUE(held);
    EXPECT_EQ(lock_file(folder / "lock", "busy").error().message, "busy");
  }
  EXPECT_TRUE(lock_file(folder / "lock", "busy"));
  EXPECT_TRUE(remove_tree(folder));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Text, Utf8RepairAndHeldBackTail) {
  EXPECT_TRUE(is_utf8("h\xC3\xA9"));
  EXPECT_FALSE(is_utf8("\xC0\x80"));
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));
  EXPECT_EQ(to_utf8("a\xFFz"), "a\xEF\xBF\xBDz");
  std::size_t cut = 0;
  EXPECT_EQ(to_utf8("a\xE2\x82", &cut), "a");
  EXPECT_EQ(cut, 2U);
}

TEST(Text, ShellQuoteAndHumanNumbers) {
  EXPECT_EQ(shell_quote("train.py"), "train.py");
  EXPECT_EQ(shell_quote("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1'440'000), "1.4 MB");
  EXPECT_EQ(human_duration(0.85), "850 ms");
  EXPECT_EQ(human_duration(200), "3 min 20 s");
  EXPECT_EQ(printable("a\nb"), "a\\x0ab");
}

TEST(JsonFields, HandsOnObjectsWithoutNullsAtAnyDepth) {
  const Json body = Json::parse(R"({"environment":{"python":null,"name":"x","inner":{"a":null,"list":[{"b":null}]}},
                                    "tags":{"a":null}})");
  JsonFields fields(body, "the run");
  EXPECT_EQ(fields.object("environment"), Json::parse(R"({"name":"x","inner":{"list":[{}]}})"));
  EXPECT_EQ(fields.string_map("tags", true), Json::parse(R"({"a":null})")) << "a tag without a value";
  EXPECT_EQ(fields.object_as_given("environment"), body["environment"]);
  EXPECT_TRUE(fields.done());
}

TEST(Json, MembersOfAnotherTypeAreAsIfTheyWereNotThere) {
  const Json wrong = Json::parse(R"({"text":null,"flag":"yes","number":"7","object":[],"array":{},"strings":["a",7]})");
  EXPECT_EQ(text_at(wrong, "text", "none"), "none");
  EXPECT_TRUE(flag_at(wrong, "flag", true));
  EXPECT_EQ(integer_at(wrong, "number", -1), -1);
  EXPECT_EQ(size_at(wrong, "number"), 0U);
  EXPECT_EQ(object_at(wrong, "object"), Json::object());
  EXPECT_EQ(array_at(wrong, "array"), Json::array());
  EXPECT_EQ(strings_at(wrong, "strings"), std::vector<std::string>{"a"});
  for (const Json& none : {Json(), Json(7), Json::array(), Json("text")}) EXPECT_EQ(text_at(none, "text"), "");
}

TEST(Json, StoredTextThatCannotBeReadIsNull) {
  for (const char* text : {"", "{", "<discarded>"}) EXPECT_EQ(to_text(stored_json(text)), "null");
}

TEST(Json, WhateverIsWrittenIsJson) {
  const Json discarded = Json::parse("{", nullptr, false);
  ASSERT_TRUE(discarded.is_discarded());
  EXPECT_EQ(to_text(discarded), "null");
  EXPECT_EQ(to_text(Json("<discarded>")), "\"<discarded>\"");
}

TEST(RunCommand, GivesInputAndKeepsOutputAndErrorsApart) {
  const std::string much(300'000, 'x');
  const auto done = run_command({"sh", "-c", "cat; echo no >&2; echo $COLOUR; exit 3"}, much, {{"COLOUR", "red"}},
                                std::chrono::seconds(20));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->exit_code, 3);
  EXPECT_EQ(done->output, much + "red\n");
  EXPECT_EQ(done->errors, "no\n");
}

TEST(RunCommand, EndsWhatTakesTooLongAndTellsWhatIsMissing) {
  const auto late = run_command({"sh", "-c", "sleep 60 & sleep 60"}, "", {}, std::chrono::milliseconds(100));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kDeadlineExceeded);
  const auto none = run_command({"roost-has-no-such-program"}, "", {}, std::chrono::seconds(5));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(run_command({"sleep", "60"}, "", {}, std::chrono::seconds(60), &stop));
  // One that reads nothing of what it is given.
  EXPECT_EQ(run_command({"true"}, std::string(1 << 20, 'x'), {}, std::chrono::seconds(20))->exit_code, 0);
}

TEST(Yaml, KeepsQuotedStringsAndTellsTheLine) {
  const auto parsed = parse_yaml("port: 80\nname: '80'\nlist: [1.5, true, ~, x]\n", "roost.yaml");
  ASSERT_TRUE(parsed);
  EXPECT_EQ((*parsed)["port"], 80);
  EXPECT_EQ((*parsed)["name"], "80");
  EXPECT_EQ((*parsed)["list"], Json::parse("[1.5,true,null,\"x\"]"));
  const auto bad = parse_yaml("a: 1\nb: [\n", "roost.yaml");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("roost.yaml, line"), std::string::npos);
}

TEST(Yaml, KeysKeepTheirOrderAndLines) {
  const auto keys = yaml_keys("b: 1\na:\n  - x: 2\nb: 3\n", "it");
  ASSERT_TRUE(keys);
  std::string text;
  for (const YamlKey& key : *keys) text += key.path + ":" + std::to_string(key.line) + " ";
  EXPECT_EQ(text, "/b:1 /a:2 /a/0:3 /a/0/x:3 /b:4 ");
  const auto endless = parse_yaml("&a [*a]", "it");
  ASSERT_FALSE(endless);
  EXPECT_FALSE(yaml_keys("&a [*a]", "it"));
}

}  // namespace
}  // namespace roost
