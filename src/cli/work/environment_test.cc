#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/yaml.h"
#include "cli/show/environment_form.h"
#include "cli/show/environment_text.h"
#include "cli/work/environment_reference.h"
#include "cli/work/modernize.h"
#include "cli/work/sizes.h"

namespace roost {
namespace {

const Style kPlain(false);
constexpr Micros kNow = 1'794'776'400'000'000;  // 2026-11-15T21:00:00Z

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Json definition(const Json& dependencies, const Json& variables = Json::object()) {
  const Json conda = {{"channels", {"conda-forge"}}, {"dependencies", dependencies}};
  return {{"environmentVariables", variables}, {"python", {{"condaDependencies", conda}}}};
}

Json birds() {
  return {{"name", "birds"},
          {"version", "3"},
          {"curated", false},
          {"alias_of", nullptr},
          {"notice", nullptr},
          {"created_at", "2026-11-15T20:57:00.000000Z"},
          {"definition",
           definition({"python=3.8", "pip", {{"pip", {"torch==1.6.0", "numpy"}}}}, {{"A", "1"}})}};
}

Json built(const std::string& digest) {
  return {{"digest", digest},
          {"builder", "venv"},
          {"reason", "all packages come from pip"},
          {"python", "/e/bin/python"},
          {"lock", {"numpy==2.0", "torch==2.1"}},
          {"changes", {"torch==1.6.0 -> torch==2.1"}},
          {"size", 44'000'000U},
          {"created_at", "2026-11-15T20:00:00.000000Z"},
          {"used_at", "2026-11-15T20:57:00.000000Z"}};
}

TEST(Sizes, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_bytes("500", "--keep"), 500);
  EXPECT_EQ(parse_bytes("20GB", "--keep"), 20'000'000'000);
  EXPECT_EQ(parse_bytes(" 1.5 k ", "--keep"), 1500);
  EXPECT_EQ(parse_bytes("2MiB", "--keep"), 2 << 20);
  EXPECT_EQ(parse_bytes("0", "--keep"), 0);
  for (const char* wrong : {"", "GB", "-1", "20 GBs", "1e99", "nan", "20XB", "99999999TB"}) {
    const auto bytes = parse_bytes(wrong, "--keep");
    ASSERT_FALSE(bytes) << wrong;
    EXPECT_TRUE(has(bytes.error().message, "--keep"));
  }
}

TEST(EnvironmentReference, HasANameAndPerhapsAVersion) {
  EXPECT_EQ(parse_environment_reference("birds")->version, "");
  EXPECT_EQ(parse_environment_reference("AzureML-PyTorch-1.6-GPU:12")->version, "12");
  for (const char* wrong : {"", ":3", "birds:", "birds:x", "birds:0", "birds:-1", "a b", "a:b:3",
                            "birds:9999999999"}) {
    EXPECT_FALSE(parse_environment_reference(wrong)) << wrong;
  }
}

TEST(EnvironmentReference, KnowsWhatWasBuiltOfADefinition) {
  const Json wanted = birds()["definition"];
  const std::string strict = plan_environment(wanted, Pins::kStrict)->digest();
  const std::string nearest = plan_environment(wanted, Pins::kNearest)->digest();
  const Json lock = built("")["lock"];
  const Json builds = {built(nearest), built(sha256_hex(strict + to_text(lock))), built("other")};
  EXPECT_EQ(builds_of(wanted, builds), Json({builds[0], builds[1]}));
  EXPECT_TRUE(builds_of(Json::object(), builds).empty());
  EXPECT_TRUE(builds_of("nonsense", builds).empty());
  Json pinned = wanted;
  EXPECT_EQ(possible_plans(pinned)->front().digest(), nearest);
  pinned["pins"] = "strict";
  EXPECT_EQ(possible_plans(pinned)->front().digest(), strict);
}

TEST(EnvironmentForm, ReadsWhatADefinitionSays) {
  EXPECT_EQ(conda_package_name("conda-forge::NumPy >=1.2"), "numpy");
  EXPECT_EQ(conda_package_condition("python=3.6.2"), "3.6.2");
  EXPECT_EQ(conda_package_condition("python>=3.8"), ">=3.8");
  EXPECT_EQ(conda_package_condition("python"), "");
  const EnvironmentForm form = environment_form(birds()["definition"]);
  EXPECT_EQ(form.python, "3.8");
  EXPECT_EQ(form.conda, std::vector<std::string>{"pip"});
  EXPECT_EQ(form.pip, (std::vector<std::string>{"torch==1.6.0", "numpy"}));
  EXPECT_EQ(form.variables.at("A"), "1");
  // Whatever somebody stored.
  for (const char* odd : {"null", "[]", R"({"python":3,"docker":[],"environmentVariables":"x"})",
                          R"({"python":{"condaDependencies":{"dependencies":{"a":1}}}})",
                          R"({"python":{"condaDependencies":{"dependencies":[1,{"pip":2}]}}})"}) {
    EXPECT_EQ(environment_form(Json::parse(odd)).pip.size(), 0U) << odd;
  }
  const Json own = Json::parse(R"({"python":{"userManagedDependencies":true},
                                   "docker":{"baseDockerfile":"FROM x","baseImage":"y"}})");
  EXPECT_EQ(environment_form(own).interpreter, "python");
  EXPECT_EQ(environment_form(own).image, "");
}

TEST(EnvironmentForm, DifferencesByName) {
  const EnvironmentForm a = environment_form(birds()["definition"]);
  const EnvironmentForm b = environment_form(definition(
      {"python=3.9", "scipy=1.5", {{"pip", {"numpy", "Torch==1.7.0", "--pre"}}}}, {{"B", "2"}}));
  std::vector<std::string> lines;
  for (const auto& one : form_differences(a, b)) {
    lines.push_back(one.name + " " + to_text(one.a) + " " + to_text(one.b));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{
                       R"(python "3.8" "3.9")", R"(conda pip "pip" null)",
                       R"(conda scipy null "scipy=1.5")", R"(pip --pre null "--pre")",
                       R"(pip torch "torch==1.6.0" "Torch==1.7.0")", R"(variable A "1" null)",
                       R"(variable B null "2")"}));
  EXPECT_TRUE(form_differences(a, a).empty());
  EnvironmentForm turned = a;
  std::swap(turned.pip[0], turned.pip[1]);
  ASSERT_EQ(form_differences(a, turned).size(), 1U);
  EXPECT_EQ(form_differences(a, turned)[0].name, "order");
}

TEST(EnvironmentText, TablesAndPage) {
  const std::string digest = plan_environment(birds()["definition"], Pins::kNearest)->digest();
  Json curated = {{"name", "AzureML-Tutorial"}, {"version", "1"},
                  {"curated", true},            {"alias_of", "roost-sklearn"},
                  {"notice", "AzureML-Tutorial means roost-sklearn here"}};
  curated["definition"] = definition({{{"pip", {"a", "b", "c", "d", "e"}}}});
  const Json environments = {birds(), curated};
  const Json builds = {built(digest)};
  EXPECT_EQ(environment_table(environments, builds, kNow).text(kPlain, 0),
            "ENVIRONMENT       PYTHON  BUILT  CREATED              PACKAGES\n"
            "birds:3           3.8     yes    3 min ago            torch==1.6.0, numpy\n"
            "AzureML-Tutorial                 means roost-sklearn  a, b, c and 2 more\n");
  const std::string table = build_table(builds, environments, kNow).text(kPlain, 0);
  const std::string row = "  venv     44 MB         2  3 min ago  1 h ago  birds:3\n";
  EXPECT_TRUE(has(table, digest.substr(0, 12) + row)) << table;
  const std::string page = environment_page(birds(), builds, kNow, kPlain);
  for (const char* part : {"birds:3\n", "  python     3.8\n", "  pip        torch==1.6.0\n",
                           "             numpy\n", "  variables  A=1\n",
                           "Built  venv, 2 packages, 44 MB\n", "torch==1.6.0 -> torch==2.1\n",
                           "numpy==2.0\n", "  pins       nearest\n", " (nearest pins)\n"}) {
    EXPECT_TRUE(has(page, part)) << part << "\n" << page;
  }
  EXPECT_TRUE(has(environment_page(birds(), Json::array(), kNow, kPlain), "built      no;"));
  const std::string alias = environment_page(curated, Json::array(), kNow, kPlain);
  EXPECT_TRUE(has(alias, "note: AzureML-Tutorial means roost-sklearn here\n")) << alias;
  Json wrong = birds();
  wrong["definition"] = definition({{{"pip", {"-r requirements.txt"}}}});
  EXPECT_TRUE(has(environment_page(wrong, Json::array(), kNow, kPlain), "cannot be built:"));
}

TEST(Modernize, DoesToTheFileWhatTheBuildDid) {
  const std::string text =
      "name: birds\n"
      "channels: [conda-forge]\n"
      "dependencies:\n"
      "  - python=3.6.2  # old\n"
      "  - pytorch=1.6\n"
      "  - pip:\n"
      "    - numpy==1.19\n"
      "    - azureml-defaults\n"
      "prefix: /home/me\n"
      "variables: {A: b}\n";
  auto file = read_conda_file(text, "birds.yml");
  ASSERT_TRUE(file);
  EXPECT_EQ(plan_environment(conda_definition(*file), Pins::kNearest)->python, "3.6.2");
  const auto left = apply_changes(
      *file, {"pytorch=1.6 by conda -> torch==1.6.* by pip", "python=3.6.2 -> 3.11.2",
              "torch==1.6.* -> torch==2.1.0", "numpy==1.19 -> numpy 1.24.2 of the node",
              "other==1 -> other==2", "in other words"});
  EXPECT_EQ(left, (std::vector<std::string>{"other==1 -> other==2", "in other words"}));
  EXPECT_EQ(conda_yaml(*file),
            "name: birds\n"
            "channels:\n"
            "  - conda-forge\n"
            "dependencies:\n"
            "  - python=3.11.2\n"
            "  - pip:\n"
            "      - numpy==1.24.2\n"
            "      - azureml-defaults\n"
            "      - torch==2.1.0\n"
            "variables: {\"A\":\"b\"}\n");
}

TEST(Modernize, MakesAPipListWhereThereIsNone) {
  auto file = read_conda_file("dependencies: [scipy=1.5]", "x.yml");
  ASSERT_TRUE(file);
  EXPECT_TRUE(apply_changes(*file, {"scipy=1.5 by conda -> scipy==1.5.* by pip"}).empty());
  EXPECT_EQ(conda_yaml(*file), "dependencies:\n  - pip\n  - pip:\n      - scipy==1.5.*\n");
}

TEST(Modernize, WhatItWritesReadsBackAsTheSame) {
  CondaFile file;
  file.name = "on";
  file.dependencies = {"numpy >=1.2,<2", "3.5", "a: b", "x # y", "",
                       {{"pip", {"-f https://host/x", "t[x]==1; python_version<'3.9'", "*"}}}};
  const auto read = parse_yaml(conda_yaml(file), "it");
  ASSERT_TRUE(read) << read.error().message << conda_yaml(file);
  EXPECT_EQ((*read)["name"], "on");
  EXPECT_EQ((*read)["dependencies"], file.dependencies) << conda_yaml(file);
}

TEST(Modernize, RefusesWhatIsNoCondaFile) {
  for (const char* wrong : {"", "a: [", "- a", "name: x", "dependencies: 3"}) {
    const auto file = read_conda_file(wrong, "some.yml");
    ASSERT_FALSE(file) << wrong;
    EXPECT_TRUE(has(file.error().message, "some.yml")) << file.error().message;
  }
}

}  // namespace
}  // namespace roost
