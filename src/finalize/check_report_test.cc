#include "finalize/check_report.h"

#include "base/fake_clock.h"
#include "finalize/keep_sets.h"
#include "records/test_database.h"

namespace roost {
namespace {

class CheckReport : public DatabaseFixture {
 protected:
  void SetUp() override {
    DatabaseFixture::SetUp();
    auto opened = BlobStore::open(folder_ / "blobs", clock_);
    ASSERT_TRUE(opened) << opened.error().message;
    blobs_ = std::move(*opened);
    AttemptLogs logs{[this](const AttemptName&) {
                       ++synced_;
                       return Status();
                     },
                     [this](const AttemptName&, const std::string& log) { return log == "a.txt" ? log_size_ : 0; }};
    finalize_.emplace(FinalizeParts{*db_, *blobs_, kept_, clock_, logs});
    run_ = add_run();
    write([&](Tx& tx) -> Status {
      run_.attempt = 1;
      ROOST_CHECK(insert_attempt(tx, {run_.seq, 1, "n1", true, 1, {}, {}}, {"n1"}, "token", 1));
      return save_run(tx, run_);
    });
  }
  void TearDown() override {
    finalize_.reset();
    blobs_.reset();
    DatabaseFixture::TearDown();
  }
  AttemptName attempt() const { return {run_.id, 1}; }

  OutputFile output(const std::string& path, const std::string& bytes) {
    const std::string digest = sha256_hex(bytes);
    EXPECT_TRUE(blobs_->put(digest, bytes));
    return {path, digest, bytes.size()};
  }

  FakeClock clock_;
  std::unique_ptr<BlobStore> blobs_;
  KeptOutputs kept_;
  std::optional<FinalizeParts> finalize_;
  std::uint64_t log_size_ = 10;
  int synced_ = 0;
  Run run_;
};

TEST_F(CheckReport, EverythingThatWasShippedIsThere) {
  FinishReport report;
  report.streams["a.txt"] = 10;
  report.outputs.push_back(output("outputs/model.pt", "weights"));
  const auto held = check_report(*finalize_, attempt(), report);
  EXPECT_TRUE(held) << held.error().message;
  EXPECT_EQ(synced_, 1) << "logs are on disk before the run may end";
}

TEST_F(CheckReport, AShortLogHasToBeSentAgain) {
  FinishReport report;
  report.streams["a.txt"] = 11;
  const auto held = check_report(*finalize_, attempt(), report);
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().code, ErrorCode::kDataMismatch);
  EXPECT_EQ(held.error().message, "a.txt has 10 bytes here, 11 there; send the rest");
}

TEST_F(CheckReport, AnOutputThatIsNotThereWholeIsNamed) {
  FinishReport report;
  OutputFile file = output("outputs/model.pt", "weights");
  file.size = 3;
  report.outputs.push_back(file);
  const auto held = check_report(*finalize_, attempt(), report);
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().message, "the output outputs/model.pt was not uploaded whole");
}

TEST_F(CheckReport, NothingIsTakenOfAnAttemptThatWasGivenUp) {
  write([&](Tx& tx) { return close_attempt(tx, run_.seq, 1); });
  FinishReport report;
  report.streams["a.txt"] = 10;
  EXPECT_EQ(check_report(*finalize_, attempt(), report).error().code, ErrorCode::kGivenUp);
  EXPECT_EQ(synced_, 0);
  EXPECT_EQ(keep_sets(*finalize_, attempt(), {}).error().code, ErrorCode::kGivenUp);
}

TEST_F(CheckReport, SpoolsAreAsLongAsTheRecordsSay) {
  FinishReport report;
  report.streams["spool/a.spool"] = 5;
  report.streams["a.txt"] = 1000;  // no affair of records
  Status checked;
  write([&](Tx& tx) -> Status {
    checked = check_spools(tx, run_, report);
    return {};
  });
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kDataMismatch);
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("INSERT INTO spool (run, attempt, name, length) VALUES (?, 1, 'spool/a.spool', 5)", run_.seq));
    checked = check_spools(tx, run_, report);
    return {};
  });
  EXPECT_TRUE(checked);
}

}  // namespace
}  // namespace roost
