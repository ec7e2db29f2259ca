#include "domain/environment_plan.h"
#include "records/test_database.h"
#include "registry/datasets.h"
#include "registry/datastores.h"
#include "registry/environments.h"
#include "registry/models.h"

namespace roost {
namespace {

class Registry : public DatabaseFixture {};

Model named(const std::string& name) {
  Model model;
  model.workspace = "default";
  model.name = name;
  model.content = std::string(64, 'a');
  return model;
}

TEST_F(Registry, VersionsOfAModelCountUpAndAreNeverGivenTwice) {
  write([&](Tx& tx) -> Status {
    Model first = named("birds");
    Model second = named("birds");
    ROOST_CHECK(insert_model(tx, first));
    ROOST_CHECK(insert_model(tx, second));
    EXPECT_EQ(second.version, 2);
    ROOST_CHECK(delete_model(tx, second));
    Model third = named("birds");
    ROOST_CHECK(insert_model(tx, third));
    EXPECT_EQ(third.version, 3);
    ROOST_TRY(const Model newest, find_model(tx, "default", "birds", std::nullopt));
    EXPECT_EQ(newest.version, 3);
    EXPECT_FALSE(find_model(tx, "default", "birds", 2));
    Model other = named("fish");
    ROOST_CHECK(insert_model(tx, other));
    EXPECT_EQ(other.version, 1);
    return {};
  });
}

TEST_F(Registry, ListsModelsByTagRunAndLatest) {
  const Run run = add_run();
  write([&](Tx& tx) -> Status {
    Model a = named("birds");
    a.tags = {{"stage", "test"}};
    Model b = named("birds");
    b.tags = {{"stage", "live"}, {"flag", nullptr}};
    b.run = run.seq;
    ROOST_CHECK(insert_model(tx, a));
    ROOST_CHECK(insert_model(tx, b));
    const auto versions = [&](ModelFilter filter) {
      filter.workspace = "default";
      std::vector<std::int64_t> out;
      const auto page = list_models(tx, filter);
      for (const auto& model : page->models) out.push_back(model.version);
      return out;
    };
    ModelFilter filter;
    EXPECT_EQ(versions(filter), (std::vector<std::int64_t>{2, 1}));
    filter.latest = true;
    EXPECT_EQ(versions(filter), (std::vector<std::int64_t>{2}));
    filter.latest = false;
    filter.tags = {"stage=test"};
    EXPECT_EQ(versions(filter), (std::vector<std::int64_t>{1}));
    filter.tags = {"stage", "flag"};
    EXPECT_EQ(versions(filter), (std::vector<std::int64_t>{2}));
    filter.tags.clear();
    filter.run = run.id;
    EXPECT_EQ(versions(filter), (std::vector<std::int64_t>{2}));
    filter.run = "no-such-run";
    EXPECT_TRUE(versions(filter).empty());
    return {};
  });
}

TEST_F(Registry, AModelTakesAFileOrAFolderOfARunsOutputs) {
  const Run run = add_run();
  write([&](Tx& tx) -> Status {
    for (const char* path : {"outputs/model.pt", "outputs/net/a.bin", "outputs/net/sub/b.bin",
                             "outputs/net.txt", "outputs/network/c"}) {
      ROOST_CHECK(tx.run("INSERT INTO artifact VALUES (?, ?, ?, 3, 1)", run.seq, path,
                         std::string(64, 'b')));
    }
    ROOST_TRY(const Manifest file, outputs_manifest(tx, run, "outputs/model.pt"));
    EXPECT_EQ(file.entries.size(), 1U);
    EXPECT_EQ(file.entries[0].path, "model.pt");
    ROOST_TRY(const Manifest folder, outputs_manifest(tx, run, "outputs/net"));
    EXPECT_EQ(folder.entries.size(), 2U);
    EXPECT_EQ(folder.entries[0].path, "net/a.bin");
    EXPECT_EQ(folder.entries[1].path, "net/sub/b.bin");
    EXPECT_TRUE(check_manifest(folder));
    EXPECT_EQ(folder.size, 6U);
    const auto missing = outputs_manifest(tx, run, "outputs/mod");
    EXPECT_FALSE(missing);
    EXPECT_NE(missing.error().message.find("outputs/mod"), std::string::npos);
    return {};
  });
}

TEST(NewModelTest, RefusesWhatItCannotKeep) {
  const std::string digest(64, 'a');
  EXPECT_TRUE(parse_new_model({{"name", "m"}, {"content", digest}}));
  EXPECT_EQ(parse_new_model({{"name", "m"}, {"run", "r"}, {"path", "./outputs/net/"}})->path, "outputs/net");
  for (const Json& bad : std::vector<Json>{{{"name", "m"}},
                                           {{"name", "m"}, {"path", "outputs/x"}},
                                           {{"name", "m"}, {"content", digest}, {"path", "x"}, {"run", "r"}},
                                           {{"name", "../m"}, {"content", digest}},
                                           {{"name", "m"}, {"content", "abc"}},
                                           {{"name", "m"}, {"run", "r"}, {"path", "../x"}},
                                           {{"name", "m"}, {"content", digest}, {"tags", {{"a", 1}}}},
                                           {{"name", "m"}, {"content", digest}, {"colour", "red"}}}) {
    EXPECT_FALSE(parse_new_model(bad)) << bad.dump();
  }
}

TEST_F(Registry, AnEnvironmentGetsANewVersionOnlyWhenItChanges) {
  auto curated = CuratedEnvironments::built_in();
  ASSERT_TRUE(curated) << curated.error().message;
  write([&](Tx& tx) -> Status {
    const Json one = {{"python", {{"interpreterPath", "python"}}}};
    const Json two = {{"python", {{"interpreterPath", "/opt/python"}}}};
    ROOST_TRY(const auto a, register_environment(tx, *curated, "default", "mine", one, 1));
    ROOST_TRY(const auto b, register_environment(tx, *curated, "default", "mine", one, 2));
    ROOST_TRY(const auto c, register_environment(tx, *curated, "default", "mine", two, 3));
    EXPECT_EQ(a.version, 1);
    EXPECT_EQ(b.version, 1);
    EXPECT_EQ(c.version, 2);
    ROOST_TRY(const auto old, find_environment(tx, *curated, "default", "mine", 1));
    EXPECT_EQ(old.definition, one);
    EXPECT_FALSE(find_environment(tx, *curated, "default", "mine", 7));
    EXPECT_FALSE(find_environment(tx, *curated, "default", "nobodys", std::nullopt));
    return {};
  });
}

TEST_F(Registry, CuratedNamesResolveWhateverTheirCaseAndAreReserved) {
  auto curated = CuratedEnvironments::built_in();
  ASSERT_TRUE(curated) << curated.error().message;
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto alias,
              find_environment(tx, *curated, "default", "azureml-pytorch-1.6-gpu", std::nullopt));
    EXPECT_EQ(alias.name, "AzureML-PyTorch-1.6-GPU");
    EXPECT_EQ(alias.alias_of, "roost-pytorch");
    EXPECT_NE(alias.notice.find("roost-pytorch"), std::string::npos);
    ROOST_TRY(const auto pattern, find_environment(tx, *curated, "default",
                                                   "azureml-acpt-pytorch-2.2-cuda12.1", 3));
    EXPECT_EQ(pattern.name, "azureml-acpt-pytorch-2.2-cuda12.1");
    EXPECT_EQ(pattern.alias_of, "roost-pytorch");
    // Unchanged it may be handed in again; changed it needs a name of its own.
    EXPECT_TRUE(register_environment(tx, *curated, "default", alias.name, alias.definition, 1));
    const auto changed = register_environment(tx, *curated, "default", alias.name, Json::object(), 1);
    EXPECT_FALSE(changed);
    EXPECT_EQ(changed.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_FALSE(register_environment(tx, *curated, "default", "MicroSoft-x", Json::object(), 1));
    return {};
  });
}

TEST(Curated, TheNamesThatRealCodeUsesResolve) {
  const auto curated = CuratedEnvironments::built_in();
  ASSERT_TRUE(curated) << curated.error().message;
  for (const auto& [name, environment] : std::initializer_list<std::pair<const char*, const char*>>{
           {"azureml-tensorflow-2.11-cuda11", "roost-tensorflow"},
           {"AzureML-TensorFlow-1.13-GPU", "roost-tensorflow"},
           {"AzureML-sklearn-1.5", "roost-sklearn"},
           {"AzureML-sklearn-0.24-ubuntu18.04-py37-cpu", "roost-sklearn"},
           {"AzureML-Scikit-learn-0.20.3", "roost-sklearn"},
           {"AzureML-Tutorial", "roost-sklearn"},
           {"AzureML-Chainer-5.1.0-GPU", "roost-chainer"},
           {"AzureML-lightgbm-3.2-ubuntu18.04-py37-cpu", "roost-lightgbm"},
           {"AzureML-xgboost-0.9-ubuntu18.04-py37-cpu-inference", "roost-xgboost"},
           {"AzureML-fastai-2.5", "roost-fastai"},
           {"azureml-acpt-pytorch-2.2-cuda12.1", "roost-pytorch"},
           {"AzureML-ACPT-pytorch-1.11-py38-cuda11.3-gpu", "roost-pytorch"},
           {"acpt-pytorch-2.2-cuda12.1", "roost-pytorch"},
           {"AzureML-minimal-ubuntu18.04-py37-cpu-inference", "roost-minimal"}}) {
    const auto found = curated->find(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->alias_of, environment) << name;
    EXPECT_NE(found->notice.find(environment), std::string::npos);
  }
  EXPECT_FALSE(curated->find("AzureML-TensorFlowish"));
}

TEST(Curated, WithoutPackagesThereIsNothingToBuild) {
  const auto curated = CuratedEnvironments::built_in();
  ASSERT_TRUE(curated);
  const auto minimal = plan_environment(curated->find("AzureML-Minimal")->definition, Pins::kStrict);
  ASSERT_TRUE(minimal);
  EXPECT_FALSE(minimal->needs_build());
  const auto sklearn = plan_environment(curated->find("roost-sklearn")->definition, Pins::kStrict);
  ASSERT_TRUE(sklearn);
  EXPECT_EQ(sklearn->python, "3.11");
}

TEST(Curated, AnOperatorsWildcardGoesBeforeABuiltInName) {
  auto curated = CuratedEnvironments::built_in();
  ASSERT_TRUE(curated);
  const std::string yaml =
      "environments: {house: {pip: [torch]}, special: {pip: [jax]}}\n"
      "aliases: {'AzureML-PyTorch-*': house, 'AzureML-PyTorch-1.6-*': special, azureml-pytorch-1.6-cpu: house, "
      "'AzureML-Min*': house}\n";
  ASSERT_TRUE(curated->add(yaml, "mine.yaml"));
  EXPECT_EQ(curated->find("AzureML-PyTorch-1.6-GPU")->alias_of, "special") << "the longest of his own";
  EXPECT_EQ(curated->find("AzureML-PyTorch-1.6-CPU")->alias_of, "house") << "a whole name of his own before that";
  EXPECT_EQ(curated->find("AzureML-PyTorch-2.0")->alias_of, "house");
  EXPECT_EQ(curated->find("AzureML-Minimal")->alias_of, "house");
  EXPECT_EQ(curated->find("roost-minimal")->alias_of, "");
  EXPECT_EQ(curated->find("AzureML-ACPT-pytorch-1.13")->alias_of, "roost-pytorch");
}

TEST(Curated, ABuiltInAliasStandsForWhatTheOperatorMadeOfItsEnvironment) {
  auto curated = CuratedEnvironments::built_in();
  ASSERT_TRUE(curated && curated->add("environments: {roost-pytorch: {pip: [torch==2.0]}}\n", "mine.yaml"));
  for (const char* name : {"AzureML-PyTorch-1.6-GPU", "AzureML-PyTorch-2.0", "roost-pytorch"}) {
    EXPECT_NE(to_text(curated->find(name)->definition).find("torch==2.0"), std::string::npos) << name;
  }
}

TEST(Curated, AnOperatorsFileGoesFirstAndIsChecked) {
  auto curated = CuratedEnvironments::built_in();
  ASSERT_TRUE(curated);
  ASSERT_TRUE(curated->add("environments: {house: {python: '3.12', pip: [torch]}}\n"
                           "aliases: {AzureML-PyTorch-1.6-GPU: house, 'AzureML-ACPT-*': house}\n",
                           "mine.yaml"));
  EXPECT_EQ(curated->find("azureml-pytorch-1.6-gpu")->alias_of, "house");
  EXPECT_EQ(curated->find("AzureML-ACPT-pytorch-1.13")->alias_of, "house");
  EXPECT_EQ(curated->find("AzureML-Minimal")->alias_of, "roost-minimal");
  EXPECT_FALSE(curated->find("something-else"));
  for (const char* bad : {"aliases: {a: nothing}", "environments: {x: {pip: torch}}", "colour: red",
                          "environments: {x: {colour: red}}", "environments: [1]"}) {
    const Status added = curated->add(bad, "mine.yaml");
    ASSERT_FALSE(added) << bad;
    EXPECT_NE(added.error().message.find("mine.yaml"), std::string::npos) << added.error().message;
  }
}

TEST_F(Registry, ADatastoreListsWhatLiesBelowAFolder) {
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto store, find_datastore(tx, "default", "workspaceblobstore"));
    const std::string digest(64, 'c');
    for (const char* path : {"birds/train/a.png", "birds/b.png", "birds2/c.png", "top.txt"}) {
      ROOST_TRY(const bool added, put_data_file(tx, store, {path, digest, 1, 1}, false));
      EXPECT_TRUE(added);
    }
    ROOST_TRY(const bool again, put_data_file(tx, store, {"top.txt", digest, 1, 1}, false));
    EXPECT_FALSE(again);
    ROOST_TRY(const bool over, put_data_file(tx, store, {"top.txt", digest, 1, 1}, true));
    EXPECT_TRUE(over);
    EXPECT_FALSE(put_data_file(tx, store, {"birds", digest, 1, 1}, true)) << "a folder";
    EXPECT_FALSE(put_data_file(tx, store, {"top.txt/x", digest, 1, 1}, true)) << "below a file";
    const auto paths = [&](const char* prefix, const char* after = "") {
      std::vector<std::string> out;
      const auto files = list_data_files(tx, store, prefix, after, 10);
      for (const auto& file : *files) out.push_back(file.path);
      return out;
    };
    EXPECT_EQ(paths("birds/"), (std::vector<std::string>{"birds/b.png", "birds/train/a.png"}));
    EXPECT_EQ(paths("top.txt"), (std::vector<std::string>{"top.txt"}));
    EXPECT_EQ(paths("").size(), 4U);
    EXPECT_EQ(paths("", "birds/train/a.png").size(), 2U);
    ROOST_TRY(const auto removed, delete_data_files(tx, store, "birds"));
    EXPECT_EQ(removed, 2);
    EXPECT_EQ(paths("").size(), 2U);
    EXPECT_FALSE(delete_datastore(tx, store)) << "built in";
    return {};
  });
}

TEST_F(Registry, ADatasetNeedsToBeAskedForANewVersion) {
  write([&](Tx& tx) -> Status {
    const auto make = [&](int n, bool new_version) {
      NewDataset made;
      made.dataset.workspace = "default";
      made.dataset.name = "birds";
      made.dataset.definition = {{"n", n}};
      made.create_new_version = new_version;
      return made;
    };
    NewDataset first = make(1, false);
    ROOST_CHECK(register_dataset(tx, first, 1));
    NewDataset same = make(1, false);
    ROOST_CHECK(register_dataset(tx, same, 2));
    EXPECT_EQ(same.dataset.id, first.dataset.id);
    NewDataset other = make(2, false);
    const Status refused = register_dataset(tx, other, 3);
    EXPECT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kAlreadyExists);
    NewDataset second = make(2, true);
    ROOST_CHECK(register_dataset(tx, second, 3));
    EXPECT_EQ(second.dataset.version, 2);
    ROOST_TRY(const auto by_id, find_dataset(tx, "default", first.dataset.id, std::nullopt));
    EXPECT_EQ(by_id.version, 1);
    ROOST_TRY(const auto newest, find_dataset(tx, "default", "birds", std::nullopt));
    EXPECT_EQ(newest.version, 2);
    ROOST_CHECK(delete_dataset(tx, newest));
    EXPECT_FALSE(find_dataset(tx, "default", "birds", 1));
    return {};
  });
}

}  // namespace
}  // namespace roost
