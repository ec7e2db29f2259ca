#include "domain/manifest.h"

#include <gtest/gtest.h>

#include <random>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/test_cpu_time.h"

namespace roost {
namespace {

const std::string kDigest = sha256_hex("x");

std::string file_line(const std::string& path) {
  return Json({path, "100644", 1, kDigest}).dump() + "\n";
}
std::string link_line(const std::string& path, const std::string& target) {
  return Json({path, "120000", target}).dump() + "\n";
}

std::string refusal(const std::string& text) {
  const auto parsed = parse_manifest(text);
  if (parsed) return "";
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  return parsed.error().message;
}

void expect_refused(const std::string& text, const std::string& reason) {
  EXPECT_NE(refusal(text).find(reason), std::string::npos) << text << "\n-> " << refusal(text);
}

TEST(Manifest, TextIsReadAndWrittenBack) {
  const std::string text = "[\"a b\\n\\u001f\\\"\\\\\",\"100644\",0,\"" + kDigest +
                           "\"]\n"
                           "[\"bin/run\",\"100755\",1125899906842624,\"" +
                           kDigest +
                           "\"]\n"
                           "[\"data/\",\"040000\"]\n"
                           "[\"latest\",\"120000\",\"bin/../bin/run\"]\n"
                           "[\"\xC3\xA9t\xC3\xA9.py\",\"100644\",7,\"" +
                           kDigest + "\"]\n";
  const auto parsed = parse_manifest(text);
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_EQ(parsed->entries.size(), 5U);
  EXPECT_EQ(parsed->entries[0].path, "a b\n\x1f\"\\");
  EXPECT_EQ(parsed->entries[1].kind, EntryKind::kExecutable);
  EXPECT_EQ(parsed->entries[1].size, kMaxFileSize);
  EXPECT_EQ(parsed->entries[2].kind, EntryKind::kEmptyFolder);
  EXPECT_EQ(parsed->entries[3].target, "bin/../bin/run");
  EXPECT_EQ(parsed->size, kMaxFileSize + 7);
  EXPECT_EQ(count_files(*parsed), 3U);
  EXPECT_EQ(manifest_text(*parsed), text);
  EXPECT_TRUE(parse_manifest("")->entries.empty());
}

TEST(Manifest, RefusesOtherSpellingsOfTheSameTree) {
  const std::string good = file_line("a");
  ASSERT_EQ(refusal(good), "");
  for (const std::string& bad : std::initializer_list<std::string>{
           good.substr(0, good.size() - 1), " " + good, good + "\n", "[ \"a\"" + good.substr(4),
           "[\"\\u0061\"" + good.substr(4), "[\"a\",\"100644\",01,\"" + kDigest + "\"]\n",
           "[\"a\",\"100644\",1.0,\"" + kDigest + "\"]\n",
           "[\"a\",\"100644\",1e0,\"" + kDigest + "\"]\n",
           "[\"a\",\"100644\",+1,\"" + kDigest + "\"]\n",
           "[\"a\",\"100644\",\"1\",\"" + kDigest + "\"]\n", "[\"a\\/b\"" + good.substr(4),
           "[\"a\\u000a\"" + good.substr(4), "[\"a\\u001F\"" + good.substr(4),
           "[\"a\x01\"" + good.substr(4), std::string("[\"a\\"),
           good.substr(0, good.size() - 1) + "\r\n", "[\"a\",\"100664\",1,\"" + kDigest + "\"]\n",
           "[\"a\",\"100644\",1,\"" + kDigest + "\",1]\n"}) {
    EXPECT_NE(refusal(bad), "") << bad;
  }
  expect_refused("[\"a\",\"100664\",1,\"" + kDigest + "\"]\n",
                 "line 1 (\"a\"): the mode \"100664\"");
}

TEST(Manifest, RefusesPathsThatCouldLeaveTheTree) {
  for (const std::string bad :
       {"/etc/passwd", "../a", "a/../b", "a/..", ".", "./a", "a//b", "", "a/"}) {
    expect_refused(file_line(bad), "safe relative");
  }
  expect_refused("[\"a\\u0000b\",\"100644\",1,\"" + kDigest + "\"]\n", "safe relative");
  expect_refused("[\"a\xff\",\"100644\",1,\"" + kDigest + "\"]\n", "UTF-8");
  expect_refused("[\"\xC0\xAF\",\"100644\",1,\"" + kDigest + "\"]\n", "UTF-8");
  expect_refused("[\"a\",\"040000\"]\n", "must end in '/'");
  expect_refused("[\"/\",\"040000\"]\n", "safe relative");
  expect_refused(file_line(std::string(300, 'a')), "safe relative");
}

TEST(Manifest, RefusesBadDigestsAndSizes) {
  expect_refused("[\"a\",\"100644\",1,\"" + std::string(64, 'A') + "\"]\n", "digest");
  expect_refused("[\"a\",\"100644\",1,\"abc\"]\n", "digest");
  expect_refused("[\"a\",\"100644\",-1,\"" + kDigest + "\"]\n", "whole number");
  expect_refused("[\"a\",\"100644\",1125899906842625,\"" + kDigest + "\"]\n", "2^50");
  expect_refused("[\"a\",\"100644\",99999999999999999999999999,\"" + kDigest + "\"]\n", "2^50");
  std::string many;
  for (char c = 'a'; c < 'k'; ++c) {
    many += fmt::format("[\"{}\",\"100644\",{},\"{}\"]\n", c, kMaxFileSize, kDigest);
  }
  expect_refused(many, "line 9 (\"i\"): the files are together too large");
}

TEST(Manifest, RefusesWrongOrderAndPathsThatAreFileAndFolder) {
  expect_refused(file_line("b") + file_line("a"), "line 2 (\"a\"): the paths are not in ascending");
  expect_refused(file_line("a") + file_line("a"), "was there already");
  EXPECT_EQ(refusal(file_line("a") + file_line("a!") + file_line("ab/c")), "");
  EXPECT_EQ(refusal(file_line("a\x7f") + file_line("a\xC3\xA9")), "");  // bytes, not signed chars
  expect_refused(file_line("a") + file_line("a!") + file_line("a!b") + file_line("a/c"),
                 "line 4 (\"a/c\"): \"a\" is a file");
  expect_refused(file_line("a") + "[\"a/\",\"040000\"]\n", "\"a\" is a file");
  expect_refused("[\"a/\",\"040000\"]\n" + file_line("a/b"), "listed as empty");
  expect_refused(link_line("a", "b") + file_line("a/b"), "\"a\" is a symlink");
}

TEST(Manifest, RefusesSymlinksThatLeadOut) {
  for (const std::string good :
       {"b", "./b", "no/such", "..", "../x", "../a/../x", "../a/./..", "b/../c"}) {
    EXPECT_EQ(refusal(link_line("a/link", good)), "") << good;
  }
  expect_refused(link_line("a/link", "/etc"), "absolute");
  expect_refused(link_line("a/link", ""), "nothing");
  expect_refused("[\"l\",\"120000\",\"a\\u0000\"]\n", "NUL");
  expect_refused("[\"l\",\"120000\",\"a\xff\"]\n", "UTF-8");
  for (const std::string bad : {"../..", "../../x", "x/../../..", "../a/../..", ".././../a"}) {
    expect_refused(link_line("a/link", bad), "out of the folder");
  }
  // deep/er/root leads to the root itself; going up from behind it would leave the tree, although
  // the target's text seems to stay inside.
  const std::string root = link_line("deep/er/root", "../..");
  EXPECT_EQ(refusal(root + link_line("x", "deep/er/root/file")), "");
  expect_refused(root + link_line("x", "deep/er/root/.."), "through another symlink");
  expect_refused(root + link_line("x", "deep/er/root/a/../.."), "through another symlink");
}

TEST(Manifest, EntriesTravelAsJson) {
  const auto manifest =
      parse_manifest("[\"d/\",\"040000\"]\n" + file_line("f") + link_line("l", "f"));
  ASSERT_TRUE(manifest);
  const Json json = entries_json(*manifest);
  EXPECT_EQ(json[0], Json::parse(R"({"path":"d/","mode":"040000"})"));
  EXPECT_EQ(json[2], Json::parse(R"({"path":"l","mode":"120000","link":"f"})"));
  EXPECT_EQ(manifest_from_entries(json).value(), *manifest);
  Json bad = json;
  bad[1]["path"] = "../f";
  EXPECT_FALSE(manifest_from_entries(bad));
  bad = json;
  bad[1]["mode"] = "100777";
  EXPECT_FALSE(manifest_from_entries(bad));
  bad = json;
  bad[2].erase("link");
  EXPECT_FALSE(manifest_from_entries(bad));
  EXPECT_FALSE(manifest_from_entries("x"));
}

// Random lines, most of them damaged: read here exactly if a JSON parser reads them, writes them
// the same way, and the fields have the right shape.
TEST(Manifest, AgreesWithAJsonParser) {
  std::mt19937 random(20261115);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string pieces[] = {
      "a",        "Z9",   "\\n",     "\\u001f", "\\u0041",          "\\/", "\\\"", "\\\\",
      "\xC3\xA9", "\xff", "\x01",    "\\u00e9", "\\ud83d\\ude00",   "\\x", "\\",   "\"",
      "\t",       "\x7f", "\\u000b", "\\u000B", "\xF0\x9F\x98\x80", "/b",  " "};
  int accepted = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string path;
    for (std::size_t i = pick(4); i-- > 0;) path += pieces[pick(std::size(pieces))];
    std::string line =
        "[\"p" + path + "\",\"100644\"," + std::to_string(pick(3)) + ",\"" + kDigest + "\"]";
    if (pick(4) == 0) line[pick(line.size())] = static_cast<char>(random());
    if (line.find('\n') != std::string::npos) continue;

    const Json json = Json::parse(line, nullptr, false);
    bool expected = json.is_array() && json.size() == 4 && json[0].is_string() &&
                    json[1].is_string() && json[2].is_number_unsigned() && json[3].is_string() &&
                    json.dump() == line;
    if (expected) {
      const std::string p = json[0];
      const std::string mode = json[1];
      expected = (mode == "100644" || mode == "100755") && is_digest(json[3].get<std::string>()) &&
                 p.find('\0') == std::string::npos && p.find("//") == std::string::npos &&
                 p[0] != '/' && p.back() != '/' && p != ".";
    }
    const auto parsed = parse_manifest(line + "\n");
    ASSERT_EQ(parsed.has_value(), expected) << line << (parsed ? "" : parsed.error().message);
    if (!parsed) continue;
    ++accepted;
    ASSERT_EQ(parsed->entries[0].path, json[0].get<std::string>());
    ASSERT_EQ(parsed->entries[0].size, json[2].get<std::uint64_t>());
    ASSERT_EQ(manifest_text(*parsed), line + "\n");
  }
  EXPECT_GT(accepted, 10'000);
}

TEST(Manifest, ReadsAHundredThousandEntriesQuickly) {
  Manifest manifest;
  for (int i = 0; i < 100'000; ++i) {
    manifest.entries.push_back({fmt::format("package/module_{:04}/file_{:06}.py", i / 100, i),
                                EntryKind::kFile, 1000, kDigest, ""});
    manifest.size += 1000;
  }
  const std::string text = manifest_text(manifest);
  const double began = cpu_seconds();
  const auto parsed = parse_manifest(text);
  const double took = cpu_seconds() - began;
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, manifest);
  RecordProperty("milliseconds", std::to_string(took * 1000));
#ifndef ROOST_SANITIZED
  EXPECT_LT(took, 0.4) << "about 30 ms of one core";
#endif
}

}  // namespace
}  // namespace roost
