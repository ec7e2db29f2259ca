#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/digest.h"
#include "base/edit_distance.h"
#include "base/files.h"
#include "cli/command_line.h"
#include "cli/completion_script.h"
#include "cli/help.h"
#include "cli/show/run_diff.h"
#include "cli/suggest.h"
#include "cli/verbs/commands.h"
#include "cli/work/download.h"
#include "cli/work/git_info.h"
#include "cli/work/interrupt.h"
#include "cli/work/run_program.h"
#include "cli/work/run_spec.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::path(testing::TempDir()) / ("cli-" + random_hex(4))) {
    fs::create_directories(path_);
  }
  ~Folder() { (void)remove_tree(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Parsed {
  int code = 0;
  std::string out;
  std::string err;
};

Parsed run(CommandLine& line, std::vector<const char*> words) {
  words.insert(words.begin(), "roost");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Parsed parsed;
  parsed.code = line.run(static_cast<int>(words.size()), words.data(), [](int) { return false; }, [] { return Status{}; });
  parsed.out = testing::internal::GetCapturedStdout();
  parsed.err = testing::internal::GetCapturedStderr();
  return parsed;
}

struct Sample {
  CommandLine line{"roost", "Trains.", "1.2.3"};
  bool json = false;
  std::string experiment;
  std::int64_t priority = 0;
  std::vector<std::string> tags;
  std::vector<std::string> command;
  std::string compute;
  bool submitted = false;

  Sample() {
    line.root().flag("--json", json, "as JSON");
    line.root()
        .verb("submit", "Submit a run")
        .required_option("-e,--experiment", experiment, "NAME", "the experiment")
        .option("--tag", tags, "K=V", "a tag")
        .option("--priority", priority, "N", "higher goes first")
        .command(command, "what to run")
        .example("roost submit -e birds -- python train.py")
        .action([this]() -> Result<int> {
          submitted = true;
          return 7;
        });
    Verb& group = line.root().verb("compute", "Clusters");
    group.verb("show", "Show one").argument("NAME", compute, "which").action([]() -> Result<int> {
      return fail(ErrorCode::kNotFound, "there is no such compute");
    });
    line.root().verb("runner", "For the server").hidden().action([]() -> Result<int> { return 0; });
  }
};

TEST(CommandLine, EverythingAfterTheDashesIsTheCommand) {
  Sample sample;
  const Parsed parsed =
      run(sample.line, {"submit", "--experiment", "compute", "--tag", "a=b", "--tag", "c=--d",
                        "--priority", "-5", "--json", "--", "python", "-c", "--", "submit"});
  EXPECT_EQ(parsed.code, 7) << parsed.err;
  EXPECT_TRUE(sample.submitted);
  EXPECT_TRUE(sample.json);
  EXPECT_EQ(sample.experiment, "compute");
  EXPECT_EQ(sample.tags, (std::vector<std::string>{"a=b", "c=--d"}));
  EXPECT_EQ(sample.priority, -5);
  EXPECT_EQ(sample.command, (std::vector<std::string>{"python", "-c", "--", "submit"}));
}

TEST(CommandLine, AnArgumentMayBeNamedLikeAVerb) {
  Sample sample;
  const Parsed parsed = run(sample.line, {"compute", "show", "submit"});
  EXPECT_EQ(parsed.code, 3);
  EXPECT_EQ(parsed.err, "roost: there is no such compute\n");
  EXPECT_EQ(sample.compute, "submit");
}

TEST(CommandLine, WrongCallsSaySoWithTheNearestWord) {
  const auto error = [](std::vector<const char*> words) {
    Sample sample;
    const Parsed parsed = run(sample.line, std::move(words));
    EXPECT_EQ(parsed.code, 2);
    EXPECT_FALSE(sample.submitted);
    return parsed.err;
  };
  EXPECT_TRUE(
      has(error({"sumbit", "-e", "x"}), "there is no verb `roost sumbit`; did you mean `submit`?"));
  EXPECT_TRUE(has(error({"compute", "sow"}), "did you mean `show`?"));
  EXPECT_TRUE(has(error({"submit", "--experimnt", "x"}), "no option --experimnt; did you mean `--experiment`?"));
  EXPECT_TRUE(has(error({"submit", "-e", "x", "--jsn"}), "did you mean `--json`?"));
  EXPECT_TRUE(
      has(error({"submit", "-e", "x", "python", "a.py"}), "put the command to run after --"));
  EXPECT_TRUE(has(error({"submit"}), "--experiment"));
  EXPECT_TRUE(has(error({"submit", "-e", "x", "--priority", "high"}), "high"));
  EXPECT_TRUE(has(error({"compute", "show", "x", "--", "y"}), "takes nothing after --"));
  EXPECT_TRUE(has(error({"compute", "show", "x", "y"}), "no further argument y"));
  EXPECT_TRUE(has(error({"compute"}), "Usage"));
}

TEST(CommandLine, HelpAndVersion) {
  Sample sample;
  const std::string page = run(sample.line, {"--help"}).out;
  EXPECT_TRUE(has(page, "submit"));
  EXPECT_FALSE(has(page, "runner"));
  const std::string verb = run(sample.line, {"submit", "-h"}).out;
  EXPECT_TRUE(has(verb, "roost submit --experiment NAME [OPTIONS] -- COMMAND...")) << verb;
  EXPECT_TRUE(has(verb, "-e, --experiment NAME"));
  EXPECT_TRUE(has(verb, "$ roost submit -e birds -- python train.py"));
  EXPECT_EQ(run(sample.line, {}).out, page);
  EXPECT_EQ(run(sample.line, {"--version"}).out, "roost 1.2.3\n");
}

TEST(CommandLine, EveryVerbHasAHelpPageThatFits) {
  CommandLine line("roost", "Trains.", "1.2.3");
  Console console;
  console.register_options(line.root());
  register_client_verbs(line.root(), console);
  const std::function<void(const VerbInfo&)> check = [&](const VerbInfo& verb) {
    EXPECT_FALSE(verb.help.empty()) << verb.path;
    const std::string page = help_text(verb, line.info(), false, 0);
    std::size_t start = 0;
    for (std::size_t end; (end = page.find('\n', start)) != std::string::npos; start = end + 1) {
      EXPECT_LE(end - start, 100U) << page.substr(start, end - start);
    }
    for (const auto& sub : verb.verbs) check(*sub);
  };
  check(line.info());
}

TEST(Suggest, DistanceAndNearest) {
  EXPECT_EQ(edit_distance("runs", "runs"), 0);
  EXPECT_EQ(edit_distance("rusn", "runs"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(nearest_word("comp", {"cancel", "completion"}), "completion");
  EXPECT_EQ(nearest_word("xyzzy", {"runs", "show"}), "");
}

TEST(Completion, BashScriptCompletesVerbsAndOptions) {
  CommandLine line("roost", "Trains.", "1.2.3");
  Console console;
  console.register_options(line.root());
  register_client_verbs(line.root(), console);
  const Folder folder;
  ASSERT_TRUE(write_file_atomic(folder.path() / "c.bash",
                                completion_script(line.info(), "bash").value() + R"(
try() { COMP_WORDS=(roost "$@"); COMP_CWORD=$#; COMPREPLY=(); _roost 2>/dev/null; echo "${COMPREPLY[*]}"; }
try su
try compute cr
try --server http://x compute upd
try runs --sta
try compute create --js
try env mod
try env build --pi
try sweep res
try sweep best --reg
roost() { [[ $* == 'sweep ls -q' ]] && echo HD_1; }
try sweep show H
)"));
  const auto output = run_program({"bash", "c.bash"}, folder.path().string(), {});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->text, "submit\ncreate\nupdate\n--status\n--json\nmodernize\n--pins\nresume\n--register\nHD_1\n");
  for (const char* shell : {"zsh", "fish"})
    EXPECT_TRUE(completion_script(line.info(), shell)) << shell;
  EXPECT_FALSE(completion_script(line.info(), "tcsh"));
}

TEST(RunSpec, QuotesWordsAndTakesALineAsItIs) {
  EXPECT_EQ(shell_line({"python", "train.py", "--name", "two words"}),
            "python train.py --name 'two words'");
  EXPECT_EQ(shell_line({"python a.py && python b.py"}), "python a.py && python b.py");
  EXPECT_EQ(shell_line({"./train.sh"}), "./train.sh");
}

TEST(RunSpec, FromTheOptions) {
  setenv("ROOST_TEST_HERE", "here", 1);
  RunRequest request;
  request.experiment = "birds";
  request.compute = "gpu-cluster";
  request.tags = {"lr=0.1", "best", "eq=a=b"};
  request.variables = {"A=1", "ROOST_TEST_HERE", "EMPTY="};
  request.time_limit = "2h";
  request.python = "/venv/bin/python";
  request.command = {"python", "train.py"};
  const auto spec = make_spec(request);
  ASSERT_TRUE(spec);
  EXPECT_EQ(*spec, Json::parse(
                       R"({"experiment":"birds","command":"python train.py","compute":"gpu-cluster",
    "tags":{"lr":"0.1","best":"","eq":"a=b"},"max_run_duration_seconds":7200,
    "environment":{"python":"/venv/bin/python"},
    "environment_variables":{"A":"1","ROOST_TEST_HERE":"here","EMPTY":""}})"));
  request.variables = {"ROOST_TEST_NOT_SET"};
  EXPECT_FALSE(make_spec(request));
  request.variables = {};
  request.tags = {"=x"};
  EXPECT_FALSE(make_spec(request));
  request.tags = {};
  request.command = {};
  EXPECT_FALSE(make_spec(request));
}

TEST(RunSpec, RepeatsWhatWasPinned) {
  const Json run = {
      {"id", "x"},
      {"experiment", "birds"},
      {"compute", "local"},
      {"snapshot", "abc"},
      {"spec", {{"experiment", "birds"}, {"command", "a"}, {"parent", nullptr}, {"priority", 3}}},
      {"environment", {{"python", "/p"}, {"digest", "d"}}},
      {"git", nullptr}};
  EXPECT_EQ(spec_to_repeat(run).value(),
            Json::parse(R"({"experiment":"birds","compute":"local","snapshot":"abc","command":"a",
                            "priority":3,"environment":{"python":"/p"}})"));
}

TEST(RunSpec, RepeatsTheExactVersionsOfABuiltEnvironment) {
  Json run = {{"id", "x"},
              {"spec", {{"command", "a"}, {"environment", {{"name", "e"}}}}},
              {"environment",
               {{"name", "e"},
                {"version", "3"},
                {"python", "/data/environments/d/bin/python"},
                {"variables", {{"A", "1"}}},
                {"lock", {"numpy==1.0", "torch==2.0"}},
                {"changes", Json::array()},
                {"definition", Json::object()}}}};
  EXPECT_EQ(spec_to_repeat(run).value(),
            Json::parse(R"({"command":"a","environment":{"name":"e","version":"3",
                            "variables":{"A":"1"},"lock":["numpy==1.0","torch==2.0"]}})"));
  // The server may be configured otherwise by now.
  run["environment"]["changes"] = {"torch==1.6 -> torch==2.0"};
  EXPECT_EQ(spec_to_repeat(run).value()["environment"]["pins"], "nearest");
}

TEST(RunSpec, AnInteractiveRunCannotBeRepeated) {
  const auto spec = spec_to_repeat({{"id", "birds_1"}, {"type", "interactive"}});
  ASSERT_FALSE(spec);
  EXPECT_TRUE(has(spec.error().message, "birds_1 is an interactive run")) << spec.error().message;
}

TEST(RunSpec, NamesAnEnvironment) {
  RunRequest request;
  request.experiment = "birds";
  request.command = {"true"};
  request.environment = "torch-env:3";
  request.pins = "nearest";
  const auto spec = make_spec(request);
  ASSERT_TRUE(spec);
  EXPECT_EQ((*spec)["environment"],
            Json::parse(R"({"name":"torch-env","version":"3","pins":"nearest"})"));
  request.pins = "closest";
  EXPECT_FALSE(make_spec(request));
  request.pins = "";
  request.environment = "torch-env";
  EXPECT_EQ(make_spec(request).value()["environment"], Json({{"name", "torch-env"}}));
  request.python = "/usr/bin/python3";
  EXPECT_TRUE(has(make_spec(request).error().message, "give one of them"));
  request.python = "";
  request.environment = "";
  request.pins = "strict";
  EXPECT_TRUE(has(make_spec(request).error().message, "--environment"));
}

TEST(GitInfo, ReadsARealRepository) {
  const Folder folder;
  const std::string root = folder.path().string();
  ASSERT_TRUE(git_info(folder.path()).is_null() || true);  // the temp folder may lie in one
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-c", "user.name=t", "-c", "user.email=t@t"});
    const auto output = run_program(words, root, {});
    return output && output->exit_code == 0;
  };
  if (!git({"init", "-q", "-b", "trunk"})) GTEST_SKIP() << "no git";
  ASSERT_TRUE(git({"remote", "add", "origin", "https://me:secret@host.example/a/b.git"}));
  ASSERT_TRUE(write_file_atomic(folder.path() / "train.py", "print(1)\n"));
  EXPECT_EQ(git_info(folder.path()).value("dirty", false), true);
  EXPECT_FALSE(git_info(folder.path()).contains("commit"));
  ASSERT_TRUE(git({"add", "-A"}));
  ASSERT_TRUE(git({"commit", "-q", "-m", "x"}));
  const Json info = git_info(folder.path());
  EXPECT_EQ(info.value("repository_uri", ""), "https://host.example/a/b.git");
  EXPECT_EQ(info.value("branch", ""), "trunk");
  EXPECT_EQ(info.value("dirty", true), false);
  const std::string commit = info.value("commit", "");
  EXPECT_EQ(commit.size(), 40U);

  ASSERT_TRUE(git({"pack-refs", "--all"}));
  fs::create_directories(folder.path() / "sub");
  EXPECT_EQ(git_info(folder.path() / "sub").value("commit", ""), commit);
  ASSERT_TRUE(git(
      {"worktree", "add", "-q", "-b", "side", "../" + folder.path().filename().string() + "-w"}));
  const fs::path linked = root + "-w";
  EXPECT_EQ(git_info(linked).value("branch", ""), "side");
  EXPECT_EQ(git_info(linked).value("commit", ""), commit);
  EXPECT_EQ(git_info(linked).value("repository_uri", ""), "https://host.example/a/b.git");
  (void)remove_tree(linked);
  ASSERT_TRUE(git({"checkout", "-q", "--detach"}));
  EXPECT_FALSE(git_info(folder.path()).contains("branch"));
  EXPECT_EQ(git_info(folder.path()).value("commit", ""), commit);
}

TEST(GitInfo, TakesCredentialsOut) {
  EXPECT_EQ(without_credentials("https://user:pw@h/x.git"), "https://h/x.git");
  EXPECT_EQ(without_credentials("https://token@h:8443/x"), "https://h:8443/x");
  EXPECT_EQ(without_credentials("https://a:p@ss@h/x"), "https://h/x");
  EXPECT_EQ(without_credentials("ssh://git:pw@h/x"), "ssh://git@h/x");
  EXPECT_EQ(without_credentials("git@h:a/b.git"), "git@h:a/b.git");
  EXPECT_EQ(without_credentials("https://h/x?private_token=1"), "https://h/x");
  EXPECT_EQ(without_credentials("https://h/a@b"), "https://h/a@b");
  EXPECT_EQ(without_credentials("/srv/repo"), "/srv/repo");
}

TEST(RunProgram, OutputLimitsAndAbsence) {
  EXPECT_EQ(run_program({"echo", "hi"}, "/", {})->text, "hi\n");
  EXPECT_EQ(run_program({"sh", "-c", "exit 3"}, "/", {})->exit_code, 3);
  EXPECT_EQ(run_program({"yes"}, "/", {10, std::chrono::seconds(5)})->text.size(), 10U);
  EXPECT_EQ(run_program({"sleep", "30"}, "/", {10, std::chrono::milliseconds(30)}).error().code,
            ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(run_program({"no-such-program"}, "/", {}).error().code, ErrorCode::kNotFound);
}

TEST(Download, NothingOutsideTheFolder) {
  const Folder folder;
  const fs::path inside = folder.path() / "in";
  fs::create_directories(folder.path() / "out");
  EXPECT_EQ(place_below(inside, "outputs/model.pt").value(), inside / "outputs/model.pt");
  EXPECT_TRUE(fs::is_directory(inside / "outputs"));
  EXPECT_FALSE(place_below(inside, "../x"));
  EXPECT_FALSE(place_below(inside, "/etc/passwd"));
  fs::create_directory_symlink(folder.path() / "out", inside / "link");
  EXPECT_FALSE(place_below(inside, "link/x"));
  EXPECT_FALSE(place_below(inside, "link/deeper/x"));
  EXPECT_FALSE(fs::exists(folder.path() / "out/deeper"));
}

TEST(RunDiff, OneChangedVariableIsOneDifference) {
  const Json a = {{"compute", "local"},
                  {"spec", {{"command", "x"}, {"environment_variables", {{"A", "1"}, {"B", "2"}}}}},
                  {"git", {{"commit", "1"}}}};
  const Json b = {
      {"compute", "gpu"},
      {"spec", {{"command", "x"}, {"environment_variables", {{"A", "1"}, {"B", "3"}}}}}};
  const auto all = spec_differences(a, b);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "compute");
  EXPECT_EQ(all[1].name, "environment_variables.B");
  EXPECT_EQ(all[1].b, "3");
  EXPECT_EQ(all[2].name, "git.commit");
  EXPECT_TRUE(all[2].b.is_null());
}

TEST(RunDiff, EntriesAndMetrics) {
  const Json a = {
      {"entries", {{{"path", "a.py"}, {"digest", "1"}}, {{"path", "b.py"}, {"digest", "2"}}}}};
  const Json b = {
      {"entries", {{{"path", "a.py"}, {"digest", "9"}}, {{"path", "b.py"}, {"digest", "2"}}}}};
  const auto entries = entry_differences(a, b);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].name, "a.py");
  const auto metrics = metric_comparison(Json::array({{{"name", "acc"}, {"last", 0.5}}}),
                                         Json::array({{{"name", "acc"}, {"last", 0.5}}}));
  EXPECT_EQ(metrics.size(), 1U);
}

TEST(InterruptWatch, TurnsASignalIntoAStop) {
  InterruptWatch watch;
  std::atomic<bool> called = false;
  const std::stop_callback callback(watch.token(), [&] { called = true; });
  kill(getpid(), SIGINT);
  for (int i = 0; i < 500 && !called; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(called);
  EXPECT_EQ(watch.signal(), SIGINT);
}

}  // namespace
}  // namespace roost
