#include "snapshot/ignore_rules.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/test_cpu_time.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

using IgnoreTexts =
    std::map<std::string, std::string>;  // folder ("" or "a/b/") -> text of its file

// The answer for one path, asked the way a walk asks: from the root down.
bool ignored(const IgnoreTexts& texts, const std::string& path, bool folder) {
  IgnoreScope::Ptr scope;
  for (std::size_t start = 0;;) {
    const std::string here = path.substr(0, start);
    if (const auto text = texts.find(here); text != texts.end()) {
      scope = std::make_shared<IgnoreScope>(scope, here, text->second);
    }
    const std::size_t slash = path.find('/', start);
    if (slash == std::string::npos) return is_ignored(scope.get(), path, folder);
    if (is_ignored(scope.get(), path.substr(0, slash), true)) return true;
    start = slash + 1;
  }
}

bool ignored(const std::string& text, const std::string& path, bool folder = false) {
  return ignored(IgnoreTexts{{"", text}}, path, folder);
}

// A temporary repository whose `git check-ignore` is asked for the truth.
class GitOracle {
 public:
  GitOracle() : folder_(fs::path(testing::TempDir()) / ("ignore-" + random_hex(6))) {
    fs::create_directories(folder_);
    usable_ = git("init -q . 2>/dev/null") == 0;
    fs::remove(folder_ / ".git/info/exclude");
  }
  ~GitOracle() { fs::remove_all(folder_); }

  bool usable() const { return usable_; }

  // Paths ending in '/' are folders. Returns those (without that slash) that git ignores.
  std::set<std::string> ignored(const IgnoreTexts& texts, const std::set<std::string>& paths) {
    if (paths != made_) make(paths);
    for (const auto& [where, text] : texts) {
      fs::create_directories(folder_ / where);
      put(where + ".gitignore", text);
    }
    git("check-ignore --no-index -v -n -z --stdin < .git/asked > .git/answer");
    const auto fields = split(read_file(folder_ / ".git/answer").value(), '\0');
    EXPECT_EQ(fields.size(), 4 * paths.size() + 1);  // source, line, pattern, path
    std::set<std::string> out;
    for (std::size_t i = 0; i + 3 < fields.size(); i += 4) {
      if (!fields[i].empty() && fields[i + 2][0] != '!') out.insert(fields[i + 3]);
    }
    return out;
  }

 private:
  void make(const std::set<std::string>& paths) {
    for (const auto& item : fs::directory_iterator(folder_)) {
      if (item.path().filename() != ".git") fs::remove_all(item.path());
    }
    std::string asked;
    for (const auto& path : paths) {
      const bool is_folder = path.back() == '/';
      fs::create_directories(is_folder ? folder_ / path : (folder_ / path).parent_path());
      if (!is_folder) put(path, "");
      asked += is_folder ? path.substr(0, path.size() - 1) : path;
      asked += '\0';
    }
    put(".git/asked", asked);
    made_ = paths;
  }
  void put(const std::string& path, const std::string& text) {
    std::ofstream(folder_ / path, std::ios::binary) << text;
  }
  int git(const std::string& arguments) {
    return std::system(fmt::format("cd {} && GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null "
                                   "HOME=/nonexistent git -c core.excludesFile=/dev/null {}",
                                   shell_quote(folder_.string()), arguments)
                           .c_str());
  }

  fs::path folder_;
  std::set<std::string> made_;
  bool usable_ = false;
};

void expect_same_as_git(GitOracle& git, const IgnoreTexts& texts,
                        const std::set<std::string>& paths) {
  const auto expected = git.ignored(texts, paths);
  for (const auto& path : paths) {
    const bool folder = path.back() == '/';
    const std::string plain = folder ? path.substr(0, path.size() - 1) : path;
    std::string shown;
    for (const auto& [where, text] : texts)
      shown += fmt::format("--- {}.gitignore\n{}\n", where, text);
    EXPECT_EQ(ignored(texts, plain, folder), expected.contains(plain)) << path << "\n" << shown;
  }
}

TEST(IgnoreRules, HandPicked) {
  EXPECT_TRUE(ignored("*.pyc", "a/b/x.pyc"));
  EXPECT_TRUE(ignored("/data", "data"));
  EXPECT_FALSE(ignored("/data", "a/data"));
  EXPECT_TRUE(ignored("data/", "a/data", true));
  EXPECT_FALSE(ignored("data/", "a/data", false));
  EXPECT_TRUE(ignored("data/", "a/data/file"));
  EXPECT_FALSE(ignored("*.log\n!keep.log", "keep.log"));
  EXPECT_TRUE(ignored("logs\n!logs/keep.log", "logs/keep.log"));
  EXPECT_FALSE(ignored("logs/*\n!logs/keep.log", "logs/keep.log"));
  EXPECT_TRUE(ignored("doc/**/x.py", "doc/x.py"));
  EXPECT_TRUE(ignored("doc/**/x.py", "doc/a/b/x.py"));
  EXPECT_TRUE(ignored("[[:digit:]]*", "7up"));
  EXPECT_FALSE(ignored("# comment\n\n   \n!\n/", "comment"));
  EXPECT_TRUE(ignored("\\#x\n\\!y\nz\\ ", "#x"));
  EXPECT_TRUE(ignored("\xEF\xBB\xBFname\r\n", "name"));
}

TEST(IgnoreRules, GitItselfIsAlwaysLeftOut) {
  EXPECT_TRUE(ignored("!.git", ".git", true));
  EXPECT_TRUE(ignored("", "sub/.git"));
  EXPECT_TRUE(ignored("", "sub/.git/config"));
  EXPECT_FALSE(ignored("", "x.git"));
  EXPECT_FALSE(ignored("", ".gitignore"));
}

TEST(IgnoreRules, LowerFilesDecide) {
  const IgnoreTexts texts = {{"", "*.log\n/top"}, {"a/", "!*.log"}, {"a/b/", "/x.log\ntop"}};
  EXPECT_TRUE(ignored(texts, "x.log", false));
  EXPECT_FALSE(ignored(texts, "a/x.log", false));
  EXPECT_FALSE(ignored(texts, "a/b/y.log", false));
  EXPECT_TRUE(ignored(texts, "a/b/x.log", false));
  EXPECT_FALSE(ignored(texts, "a/top", false));
  EXPECT_TRUE(ignored(texts, "a/b/c/top", false));
}

TEST(IgnoreRules, SameAsGitForHandPickedPatterns) {
  GitOracle git;
  if (!git.usable()) GTEST_SKIP() << "no git on PATH";
  const std::set<std::string> paths = {"a",           "b/",          "ab",
                                       "foo/bar",     "foo/baz/bar", "foo/x/y/bar",
                                       "foobar",      "foox/y/bar",  "x y",
                                       "x ",          " x",          "#x",
                                       "!x",          "a\\b",        "a*b",
                                       "a]b",         "a-b",         "d/e/f/g",
                                       "d/e/",        "d/f/",        "dir/sub/file.py",
                                       "dir/file.py", ".hidden",     "d/.hidden",
                                       "\xC3\xA9",    "tab\tname",   "new\nline",
                                       "a\rb",        "a[b",         "x[:alpha:]y",
                                       "build/out/",  "build/out/o", "src/build/x",
                                       "A",           "Z/z"};
  const char* const patterns[] = {"a",
                                  "/a",
                                  "a/",
                                  "/b/",
                                  "b",
                                  "*",
                                  "/*",
                                  "**",
                                  "**/",
                                  "/**",
                                  "**/bar",
                                  "foo/**",
                                  "foo/**/bar",
                                  "foo/*",
                                  "foo/*/bar",
                                  "foo**/bar",
                                  "foo**bar",
                                  "foo/**bar",
                                  "fo**/bar",
                                  "/foo**/bar",
                                  "f*/bar",
                                  "f*/**/bar",
                                  "**/x/**",
                                  "**/**/bar",
                                  "foo/**/**/bar",
                                  "***",
                                  "foo/***/bar",
                                  "x\\ ",
                                  "x ",
                                  "x y  ",
                                  "\\ x",
                                  " x",
                                  "\\#x",
                                  "#x",
                                  "\\!x",
                                  "!x",
                                  "a\\\\b",
                                  "a\\*b",
                                  "a\\b",
                                  "a[*]b",
                                  "a[]]b",
                                  "a[]-]b",
                                  "a[!]]b",
                                  "a[^]]b",
                                  "a[-]b",
                                  "a[,-.]b",
                                  "a[.-,]b",
                                  "a[",
                                  "a[b",
                                  "a\\[b",
                                  "[a",
                                  "[]",
                                  "[!]",
                                  "a\\",
                                  "\\",
                                  "x\\  ",
                                  "?",
                                  "??",
                                  "d/?/f",
                                  "d?e",
                                  "d[/]e",
                                  "d[!x]e",
                                  "d*e",
                                  "d/**/g",
                                  "d/*/*/g",
                                  "dir/*.py",
                                  "dir/**/*.py",
                                  "*.py",
                                  "/*.py",
                                  "dir/",
                                  "dir/sub/",
                                  "/dir/sub",
                                  "sub/",
                                  "sub/file.py",
                                  ".*",
                                  ".h*",
                                  "[[:alpha:]]",
                                  "[[:upper:]]",
                                  "[![:upper:]]",
                                  "[[:foo:]]",
                                  "x[[:]*",
                                  "x[[:alpha:]",
                                  "[[:alpha:]-z]",
                                  "[a-[:alpha:]]",
                                  "tab[[:blank:]]name",
                                  "new[[:space:]]line",
                                  "new\\\nline",
                                  "a[[:cntrl:]]b",
                                  "\xC3\xA9",
                                  "?\xA9",
                                  "\xC3*",
                                  "[\xC3]?",
                                  "build",
                                  "/build",
                                  "build/out",
                                  "build/out/",
                                  "build/",
                                  "!build",
                                  "//",
                                  "//a",
                                  "a//",
                                  "foo//bar",
                                  "foo\\/bar",
                                  "foo/**\\/bar",
                                  "foo/*\\/bar",
                                  "**\\/bar",
                                  "[a-c]b",
                                  "[a\\-c]b",
                                  "a[\\]]b",
                                  "a[\\",
                                  "Z/[z]",
                                  "z",
                                  "Z",
                                  "a\r",
                                  "a\rb"};
  for (const char* pattern : patterns) {
    expect_same_as_git(git, {{"", pattern}}, paths);
    expect_same_as_git(git, {{"", std::string(pattern) + "\r\n!foo\n!foo/bar\n"}}, paths);
  }
}

TEST(IgnoreRules, SameAsGitForEveryByteInEveryNamedClass) {
  GitOracle git;
  if (!git.usable()) GTEST_SKIP() << "no git on PATH";
  std::set<std::string> paths;
  for (int c = 1; c < 256; ++c) {
    if (c != '/') paths.insert(std::string("n") + static_cast<char>(c));
  }
  for (const char* name : {"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print",
                           "punct", "space", "upper", "xdigit"}) {
    expect_same_as_git(git, {{"", fmt::format("n[[:{}:]]", name)}}, paths);
    expect_same_as_git(git, {{"", fmt::format("n[^[:{}:]_x]", name)}}, paths);
  }
}

class RandomCase {
 public:
  explicit RandomCase(unsigned seed) : random_(seed) {}

  std::size_t pick(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  std::string path() {
    static const char* const kNames[] = {"a",     "b",  "c",    "ab",  "abc", "foo", "foo.txt",
                                         "b.txt", ".x", "a b",  "x ",  "a*b", "[a]", "\xC3\xA9",
                                         "#n",    "!n", "w\\z", "aab", "ba"};
    std::string out;
    for (std::size_t i = pick(4) + 1; i-- > 0;) {
      out += kNames[pick(std::size(kNames))];
      if (i > 0) out += '/';
    }
    if (pick(6) == 0) out += '/';
    return out;
  }

  std::string pattern() {
    static const char* const kPieces[] = {
        "a",           "b",    "ab",   "foo",      ".txt",  "*",
        "*",           "?",    "/",    "/",        "**",    "**/",
        "/**",         "/**/", "[ab]", "[!a]",     "[a-c]", "[^/]",
        "[[:alpha:]]", "[]a]", "\\*",  "\\a",      "\\ ",   " ",
        ".",           "#",    "!",    "\xC3\xA9", "*/",    "\\/",
        "\\",          "[",    "]",    "-",        "***",   "[[:digit:][:space:]]",
        "c",           "x"};
    std::string out = pick(4) == 0 ? "!" : "";
    if (pick(5) == 0) out += '/';
    for (std::size_t i = pick(5) + 1; i-- > 0;) out += kPieces[pick(std::size(kPieces))];
    if (pick(5) == 0) out += '/';
    if (pick(12) == 0) out += "  ";
    return out;
  }

  std::string file() {
    std::string out;
    for (std::size_t i = pick(8) + 1; i-- > 0;) out += pattern() + (pick(10) == 0 ? "\r\n" : "\n");
    if (pick(4) == 0) out.pop_back();
    return out;
  }

 private:
  std::mt19937 random_;
};

TEST(IgnoreRules, SameAsGitForRandomFilesAndPaths) {
  GitOracle git;
  if (!git.usable()) GTEST_SKIP() << "no git on PATH";
  const char* more = std::getenv("ROOST_IGNORE_ROUNDS");
  const unsigned rounds = more ? static_cast<unsigned>(std::atoi(more)) : 60;
  std::size_t cases = 0;
  std::size_t excluded = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    RandomCase random(1000 + round);
    std::set<std::string> folders;
    std::set<std::string> paths;
    const auto clashes = [&](const std::string& path) {
      for (std::size_t slash = path.find('/'); slash != std::string::npos;
           slash = path.find('/', slash + 1)) {
        if (paths.contains(path.substr(0, slash))) return true;
      }
      return path.back() != '/' && (folders.contains(path + "/") || paths.contains(path + "/"));
    };
    for (int i = 0; i < 60; ++i) {
      const std::string path = random.path();
      if (clashes(path)) continue;
      paths.insert(path);
      for (std::size_t slash = path.find('/'); slash != std::string::npos;
           slash = path.find('/', slash + 1)) {
        folders.insert(path.substr(0, slash + 1));
      }
    }
    paths.insert(folders.begin(), folders.end());
    IgnoreTexts texts = {{"", random.file()}};
    for (const auto& folder : folders) {
      if (random.pick(6) == 0) texts[folder] = random.file();
    }
    expect_same_as_git(git, texts, paths);
    cases += paths.size();
    for (const auto& path : paths) {
      const bool folder = path.back() == '/';
      if (ignored(texts, path.substr(0, path.size() - (folder ? 1 : 0)), folder)) ++excluded;
    }
    if (HasFailure()) FAIL() << "seed " << 1000 + round;
  }
  EXPECT_GT(cases, rounds * 50);
  EXPECT_GT(excluded, cases / 20);
  EXPECT_LT(excluded, cases);
}

TEST(IgnoreRules, NoPatternTakesForever) {
  const std::string text(4000, 'a');
  std::string stars;
  std::string deep;
  for (int i = 0; i < 400; ++i) {
    stars += "*a";
    deep += "**/*a*/";
  }
  const double began = cpu_seconds();
  EXPECT_FALSE(ignored(stars + "*b", text));
  EXPECT_FALSE(ignored("/" + stars + "*b", text));
  EXPECT_FALSE(ignored(deep + "b", text));
  EXPECT_FALSE(ignored("x" + std::string(100'000, '*') + "y", text));
  EXPECT_FALSE(ignored(std::string(100'000, '?'), text));
  std::string path;
  for (int i = 0; i < 1000; ++i) path += "aa/";
  EXPECT_FALSE(ignored(IgnoreTexts{{"", "/" + deep + "b"}}, "x", false));
  const IgnoreFile file("/" + deep + "b\n");
  EXPECT_EQ(file.judge(path + "b", false), IgnoreFile::Verdict::kExclude);
  EXPECT_EQ(file.judge(path + "ab", false), IgnoreFile::Verdict::kNone);
  EXPECT_LT(cpu_seconds() - began, 5.0);
}

}  // namespace
}  // namespace roost
