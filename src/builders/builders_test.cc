#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include <unistd.h>

#include "base/files.h"
#include "builders/build_order.h"
#include "builders/disk_space.h"
#include "builders/distributions.h"
#include "builders/explain.h"
#include "builders/image_builder.h"
#include "builders/image_output.h"
#include "builders/package_sources.h"
#include "builders/pip_names.h"
#include "builders/pip_output.h"
#include "builders/program.h"
#include "builders/pythons.h"
#include "builders/uv_resolver.h"

namespace roost {
namespace {

PipOutput read_all(const std::vector<std::string>& lines) {
  PipOutput output;
  for (const auto& line : lines) output.add(line);
  return output;
}

TEST(PipOutputTest, NamesTheVersionsThereAre) {
  const auto output = read_all({
      "Collecting pillow",
      "ERROR: Could not find a version that satisfies the requirement torch==1.6.0 (from versions: 1.13.0, 2.0.0)",
      "ERROR: No matching distribution found for torch==1.6.0"});
  ASSERT_TRUE(output.no_version());
  EXPECT_EQ(output.no_version()->requirement, "torch==1.6.0");
  EXPECT_EQ(output.no_version()->versions, (std::vector<std::string>{"1.13.0", "2.0.0"}));
  EXPECT_EQ(output.problem(), "torch==1.6.0 cannot be had: there are 1.13.0, 2.0.0");
}

TEST(PipOutputTest, ARequirementOfARequirement) {
  const auto output = read_all({"ERROR: Could not find a version that satisfies the requirement b>=2 (from a) "
                                "(from versions: 1.0)"});
  EXPECT_EQ(output.no_version()->requirement, "b>=2");
}

TEST(PipOutputTest, TellsNoSuchPackageFromNoIndex) {
  const std::string none =
      "ERROR: Could not find a version that satisfies the requirement nosuch (from versions: none)";
  EXPECT_NE(read_all({none}).problem().find("no such package"), std::string::npos);
  const auto offline = read_all({"WARNING: Retrying after connection broken by 'NewConnectionError(Failed to "
                                 "establish a new connection)'",
                                 none});
  EXPECT_NE(offline.problem().find("does not answer"), std::string::npos);
}

TEST(PipOutputTest, ASourceThatCannotBeBuilt) {
  const auto output = read_all({"Collecting pillow", "Collecting scikit-learn==0.20.3",
                                "  Getting requirements to build wheel: finished with status 'error'",
                                "  error: subprocess-exited-with-error", "  > [2 lines of output]",
                                "      Traceback (most recent call last):",
                                "      ModuleNotFoundError: No module named 'pkg_resources'", "      [end of output]",
                                "error: subprocess-exited-with-error"});
  EXPECT_EQ(output.failed_source(), "scikit-learn==0.20.3");
  EXPECT_NE(output.problem().find("scikit-learn==0.20.3 has no ready-made wheel"), std::string::npos);
  EXPECT_NE(output.problem().find("No module named 'pkg_resources'"), std::string::npos);
}

TEST(PipOutputTest, ExplainsAConflict) {
  const auto output = read_all({
      "ERROR: Cannot install a==1.0 and b==1.0 because these package versions have conflicting dependencies.",
      "The conflict is caused by:", "    a 1.0 depends on c==1", "    b 1.0 depends on c==2",
      "ERROR: ResolutionImpossible: for help visit ..."});
  EXPECT_NE(output.problem().find("a==1.0 and b==1.0"), std::string::npos);
  EXPECT_NE(output.problem().find("b 1.0 depends on c==2"), std::string::npos);
}

ImageOutput read_image(const std::vector<std::string>& lines) {
  ImageOutput output;
  for (const auto& line : lines) output.add(line);
  return output;
}

TEST(ImageOutputTest, NamesTheStepItsCommandAndTheLastLineItPrinted) {
  const auto output = read_image({"STEP 1/4: FROM localhost/base", "STEP 2/4: RUN echo x", "x", "--> a23661b4899",
                                  "STEP 3/4: RUN make all", "make: *** No rule to make target 'all'.  Stop.",
                                  "subprocess exited with status 2", "subprocess exited with status 2",
                                  "Error: building at STEP \"RUN make all\": exit status 2"});
  EXPECT_EQ(output.problem(),
            "step 3/4 of the image failed, RUN make all: make: *** No rule to make target 'all'.  Stop.");
  EXPECT_EQ(ImageOutput::step_line("STEP 3/4: RUN make all"), "Step 3/4: RUN make all");
  EXPECT_EQ(ImageOutput::step_line("x"), "");
}

TEST(ImageOutputTest, AStepThatSaidNothingAndAnImageThatIsNowhere) {
  const auto silent = read_image({"STEP 1/2: FROM a", "STEP 2/2: RUN false", "subprocess exited with status 1",
                                  "Error: building at STEP \"RUN false\": exit status 1"});
  EXPECT_NE(silent.problem().find("step 2/2"), std::string::npos);
  EXPECT_NE(silent.problem().find("exit status 1"), std::string::npos);
  const auto nowhere = read_image({"STEP 1/1: FROM nosuch:1", "Trying to pull nosuch:1...",
                                   "Error: creating build container: nosuch:1 is not there"});
  EXPECT_NE(nowhere.problem().find("nosuch:1 is not there"), std::string::npos);
}

TEST(ImageOutputTest, ADockerfileThatIsNone) {
  EXPECT_EQ(read_image({"Error: no FROM statement found"}).problem(),
            "the image's build could not begin: no FROM statement found");
}

TEST(ImageOutputTest, WhatPipSaysGoesBeforeItsLastLine) {
  const auto output = read_image(
      {"STEP 3/3: RUN python3 -m pip install -r /usr/local/share/roost/requirements.txt",
       "ERROR: Could not find a version that satisfies the requirement torch==9 (from versions: 1.0, 2.0)",
       "ERROR: No matching distribution found for torch==9", "Error: building at STEP \"RUN python3\": exit status 1"});
  EXPECT_EQ(output.problem(), "torch==9 cannot be had: there are 1.0, 2.0");
}

TEST(ImageStepsTest, PackagesGoOnTopUnlessTheImageManagesItself) {
  BuildOrder order;
  order.plan.base_image = "localhost/base";
  EXPECT_EQ(image_steps(order).value(), "FROM localhost/base\n");
  order.plan.pip = {"wheel"};
  order.settings.index_url = "http://x/it's";
  const std::string steps = image_steps(order).value();
  EXPECT_NE(steps.find("COPY requirements.txt"), std::string::npos);
  EXPECT_NE(steps.find("--index-url 'http://x/it'\\''s'"), std::string::npos);
  order.plan.user_managed = true;
  EXPECT_EQ(image_steps(order).value(), "FROM localhost/base\n");
  order.plan.base_image = "a AS b";
  EXPECT_FALSE(image_steps(order));
}

TEST(PipNamesTest, TheUsualDifferences) {
  for (const auto& [conda, pip] : std::vector<std::pair<std::string, std::string>>{
           {"pytorch", "torch"}, {"pytorch=1.6", "torch==1.6.*"}, {"pytorch::pytorch=1.6.0=py3.6_cuda10.1", "torch==1.6.0.*"},
           {"opencv", "opencv-python-headless"}, {"conda-forge::scikit-learn", "scikit-learn"}, {"numpy==1.19.2", "numpy==1.19.2"},
           {"numpy=1.19.*", "numpy==1.19.*"}, {"numpy 1.19.2", "numpy==1.19.2.*"}, {"numpy >=1.19,<2", "numpy>=1.19,<2"},
           {"numpy[version='>=1.19']", "numpy>=1.19"}, {"pandas=*", "pandas"}, {"librosa", "librosa"}}) {
    EXPECT_EQ(pip_name_of(conda).requirement, pip) << conda;
  }
  for (const char* other : {"cudatoolkit=10.1", "mkl", "openmpi", "libgcc", "_libgcc_mutex=0.1", "cpuonly"}) {
    EXPECT_EQ(pip_name_of(other).requirement, "") << other;
    EXPECT_NE(pip_name_of(other).why_not, "") << other;
  }
}

bool has_pair(const std::vector<std::string>& words, const std::string& a, const std::string& b) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == a && words[i + 1] == b) return true;
  }
  return false;
}

TEST(PackageSourcesTest, PipsConfigurationCountsForUvToo) {
  const auto sources = package_sources({}, {"torch", "--extra-index-url http://of.definition/simple", "--pre"},
                                       "global.index-url='http://private/simple'\nglobal.find-links='/a\\n/b'\n"
                                       ":env:.default-timeout='300'\n:env:.index-url='http://variable/simple'\n"
                                       "install.trusted-host='private'\nglobal.cert='/c.pem'\nglobal.proxy='http://p:1'\n");
  EXPECT_TRUE(has_pair(sources.uv, "--index-url", "http://variable/simple")) << "a variable goes before a file";
  EXPECT_TRUE(has_pair(sources.uv, "--find-links", "/a") && has_pair(sources.uv, "--find-links", "/b"));
  EXPECT_TRUE(has_pair(sources.uv, "--extra-index-url", "http://of.definition/simple"));
  EXPECT_TRUE(has_pair(sources.uv, "--prerelease", "allow") && has_pair(sources.uv, "--allow-insecure-host", "private"));
  EXPECT_EQ(sources.variables.at("UV_HTTP_TIMEOUT"), "300");
  EXPECT_EQ(sources.variables.at("SSL_CERT_FILE"), "/c.pem");
  EXPECT_EQ(sources.variables.at("HTTPS_PROXY"), "http://p:1");
  EXPECT_EQ(sources.requirements, (std::vector<std::string>{"torch"}));
  EXPECT_TRUE(sources.own_index && sources.has_index);
}

TEST(PackageSourcesTest, TheOperatorsSettingsGoBeforePips) {
  BuildSettings settings;
  settings.index_url = "http://house/simple";
  settings.cache = "/data/packages";
  auto sources = package_sources(settings, {}, "global.index-url='http://other/simple'\n");
  EXPECT_TRUE(has_pair(sources.uv, "--index-url", "http://house/simple"));
  EXPECT_EQ(sources.variables.at("UV_CACHE_DIR"), "/data/packages/uv");
  EXPECT_EQ(sources.variables.at("PIP_CACHE_DIR"), "/data/packages/pip");
  settings.offline = true;
  sources = package_sources(settings, {}, "global.extra-index-url='http://other/simple'\n");
  EXPECT_FALSE(sources.has_index);
  EXPECT_EQ(std::count(sources.uv.begin(), sources.uv.end(), "--extra-index-url"), 0);
}

TEST(UvProblemTest, OneLineWithoutItsFrame) {
  EXPECT_EQ(uv_problem({"error: No solution found when resolving dependencies", "  cause: Because a depends on b", "         And because c.", "hint: x"}),
            "Because a depends on b And because c.");
  EXPECT_TRUE(says_unreachable("error sending request for url (http://x/)"));
  EXPECT_FALSE(says_unreachable("Because there is no version of a==1"));
}

TEST(ProgramTest, GivesLinesOfBothOutputsAndTheCode) {
  std::vector<std::string> lines;
  ProgramRun run;
  run.words = {"sh", "-c", "echo one; echo two >&2; printf '%s' \"$COLOUR\"; exit 3"};
  run.variables = {{"COLOUR", "red"}};
  run.on_line = [&](std::string_view line) { lines.emplace_back(line); };
  const auto code = run_to_end(run);
  ASSERT_TRUE(code);
  EXPECT_EQ(*code, 3);
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "red"}));
  ProgramRun nothing;
  nothing.words = {"no-such-program-anywhere"};
  EXPECT_EQ(*run_to_end(nothing), 127);
  EXPECT_FALSE(output_of({"false"}));
  EXPECT_FALSE(find_program("sh").empty());
  EXPECT_TRUE(find_program("no-such-program-anywhere").empty());
}

TEST(DistributionsTest, AreReadFromTheirOwnRecords) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("roost-distributions-" + std::to_string(::getpid()));
  const fs::path site = folder / "lib/python3.11/site-packages";
  ASSERT_TRUE(make_folders(site / "Tiny_Lib-1.2.dist-info"));
  ASSERT_TRUE(write_file_atomic(site / "Tiny_Lib-1.2.dist-info/METADATA",
                                "Metadata-Version: 2.1\nName: Tiny_Lib\nVersion: 1.2\n\nVersion: 9 in its text\n"));
  ASSERT_TRUE(write_file_atomic(site / "Tiny_Lib-1.2.dist-info/INSTALLER", "pip\n"));
  ASSERT_TRUE(make_folders(site / "half-1.0.dist-info"));
  const auto found = installed_distributions(folder);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "tiny-lib");
  EXPECT_EQ(found[0].version, "1.2");
  EXPECT_EQ(found[0].installer, "pip");
  EXPECT_TRUE(installed_distributions(folder / "nowhere").empty());
  EXPECT_TRUE(remove_tree(folder));
}

TEST(DiskSpaceTest, KnowsTheWordsOfPipGoAndRust) {
  EXPECT_TRUE(says_no_space("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"));
  EXPECT_TRUE(says_no_space("Error: writing blob: write /x: no space left on device"));
  EXPECT_FALSE(says_no_space("Collecting space-left"));
  EXPECT_NE(no_space_message("/tmp").find("/tmp has "), std::string::npos);
}

TEST(ExplainTest, CountsAndLists) {
  EXPECT_EQ(package_count(1), "1 package");
  EXPECT_EQ(package_count(2), "2 packages");
  EXPECT_EQ(shown_versions({"1.0", "1.2"}), "1.0, 1.2");
  EXPECT_TRUE(shown_versions(std::vector<std::string>(14, "1")).starts_with("2 older ones, 1, "));
}

TEST(PythonsTest, TheDefaultComesFirst) {
  BuildSettings settings;
  settings.python = "/usr/bin/python3";
  const auto found = find_interpreters(settings);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().path, "/usr/bin/python3");
  EXPECT_TRUE(choose_interpreter(found, ""));
  EXPECT_FALSE(choose_interpreter(found, "2.0.1"));
}

TEST(PythonsTest, TheNearestThatWorks) {
  std::vector<Interpreter> all;
  for (const char* version : {"3.11.2", "3.13.0", "3.8.18", "3.6.15", "2.7.18"}) {
    all.push_back({std::string("/python") + version, *parse_version(version)});
  }
  EXPECT_EQ(same_minor(all, "3.8.5")->version.text, "3.8.18");
  EXPECT_FALSE(same_minor(all, "3.6.2")) << "uv cannot fill it";
  const auto found = nearest_interpreters(all, "3.6.2");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].version.text, "3.8.18");
  EXPECT_EQ(found[1].version.text, "3.11.2") << "then the default one";
  EXPECT_EQ(nearest_interpreters(all, "==3.11.9").size(), 1U);
}

TEST(BuildOrderTest, SurvivesItsJson) {
  BuildOrder order;
  order.plan.pip = {"torch==1.6.0"};
  order.plan.python = "3.6.2";
  order.plan.pins = Pins::kNearest;
  order.folder = "/x";
  order.settings.wheels = "/wheels";
  order.settings.channels = {"/channel"};
  order.settings.registry = "127.0.0.1:5000";
  order.settings.registry_insecure = true;
  order.lock = {"a==1"};
  const BuildOrder again = build_order_from(build_order_json(order));
  EXPECT_EQ(build_order_json(again), build_order_json(order));
  EXPECT_EQ(again.plan.digest(), order.plan.digest());
}

}  // namespace
}  // namespace roost
