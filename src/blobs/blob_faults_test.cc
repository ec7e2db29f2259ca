#include <gtest/gtest.h>

#include <fstream>

#include "blobs/blob_store.h"
#include "blobs/faulty_files.h"

namespace roost {
namespace {

// Does everything that stores blobs, whatever fails, and notes what it was told is safe.
class Work {
 public:
  explicit Work(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void put(BlobStore& store, const std::string& bytes) {
    bytes_[sha256_hex(bytes)] = bytes;
    (void)store.put(sha256_hex(bytes), bytes);
  }

  void upload(BlobStore& store, const std::string& bytes) {
    const std::string digest = bytes_.emplace(sha256_hex(bytes), bytes).first->first;
    if (auto cut_off = store.begin_upload(digest, 0)) (void)cut_off->append(bytes.substr(0, 1000));
    const auto received = store.upload_state(digest).received;
    auto rest = store.begin_upload(digest, received);
    if (rest && rest->append(bytes.substr(received))) (void)rest->finish();
  }

  void adopt(BlobStore& store, const std::string& bytes) {
    bytes_[sha256_hex(bytes)] = bytes;
    const auto file = folder_ / "temporary" / "adopted";
    std::ofstream(file) << bytes;
    (void)store.adopt(sha256_hex(bytes), file);
  }

  // As a request does that names blobs: they are synced, then looked for, then named.
  void name(BlobStore& store, const std::vector<std::string>& contents) {
    std::vector<std::string> digests;
    for (const auto& bytes : contents) digests.push_back(sha256_hex(bytes));
    if (!store.sync(digests)) return;
    for (const auto& digest : digests) {
      if (store.has(digest)) safe_.insert(digest);
    }
  }

  void everything(BlobStore& store) {
    put(store, "one");
    put(store, "two");
    name(store, {"one", "two"});
    upload(store, large_);
    put(store, "one");
    name(store, {large_});
    for (int i = 0; i < 8; ++i) put(store, "many " + std::to_string(i));
    adopt(store, "adopted");
    name(store, {"many 0", "many 7", "adopted"});
    put(store, "last");
    (void)store.sync();
    name(store, {"last"});
  }

  // What was safe is there, and whatever is there is right.
  void check(const BlobStore& store, const std::string& when) {
    for (const auto& digest : safe_) {
      ASSERT_TRUE(store.has(digest)) << bytes_[digest].substr(0, 10) << " is lost " << when;
    }
    for (const auto& [digest, bytes] : bytes_) {
      if (!store.has(digest)) continue;
      ASSERT_EQ(store.read(digest).value(), bytes) << when;
    }
  }

 private:
  std::filesystem::path folder_;
  std::string large_ = std::string(5000, 'l');
  std::map<std::string, std::string> bytes_;
  std::set<std::string> safe_;
};

class BlobFaultsTest : public testing::Test {
 protected:
  // Thousands of small folders are made: in memory, where there is such a place.
  void SetUp() override {
    const bool has_memory = ::access("/dev/shm", W_OK) == 0;
    folder_ = std::filesystem::path(has_memory ? "/dev/shm" : testing::TempDir()) / ("faults-" + random_hex(4));
  }
  void TearDown() override {
    store_.reset();
    ASSERT_TRUE(remove_tree(folder_));
  }
  void begin(std::set<int> failing) {
    files_ = std::make_unique<FaultyFiles>(folder_);
    work_ = std::make_unique<Work>(folder_);
    store_ = BlobStore::open(folder_, clock_, *files_).value();
    files_->calls = 0;
    files_->failing = std::move(failing);
    work_->everything(*store_);
    calls_ = files_->calls;
    files_->failing.clear();
  }
  void restart() {
    store_.reset();
    store_ = BlobStore::open(folder_, clock_, *files_).value();
  }
  void end() {
    store_.reset();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) std::filesystem::remove(entry.path());
    }
  }
  int calls_without_faults() {
    begin({});
    end();
    return calls_;
  }
  // Every call fails once, alone and together with one of the next three.
  void each_fault(const std::function<void(const std::string&)>& after) {
    const int calls = calls_without_faults();
    ASSERT_GT(calls, 50);
    for (int first = 1; first <= calls; ++first) {
      for (int second = first; second <= first + 3; ++second) {
        luck_.seed(static_cast<unsigned>(first * 10 + second));
        begin({first, second});
        after("(calls " + std::to_string(first) + " and " + std::to_string(second) + " failed)");
        end();
        if (HasFatalFailure()) return;
      }
    }
  }

  SystemClock clock_;
  std::filesystem::path folder_;
  std::unique_ptr<FaultyFiles> files_;
  std::unique_ptr<Work> work_;
  std::unique_ptr<BlobStore> store_;
  std::mt19937 luck_;
  int calls_ = 0;
};

TEST_F(BlobFaultsTest, WhatWasSafeSurvivesPowerLossAfterAnyFault) {
  each_fault([&](const std::string& when) {
    work_->check(*store_, "before power loss " + when);
    store_.reset();
    files_->lose_power(luck_);
    restart();
    work_->check(*store_, "after power loss " + when);
  });
}

TEST_F(BlobFaultsTest, NoFaultStopsWhatComesLater) {
  each_fault([&](const std::string& when) {
    work_->everything(*store_);
    ASSERT_TRUE(store_->sync()) << when;
    work_->name(*store_, {"one", "two", "many 3", "adopted", "last"});
    store_.reset();
    files_->lose_power(luck_);
    restart();
    work_->check(*store_, "after power loss " + when);
    for (const char* bytes : {"one", "two", "many 3", "adopted", "last"}) {
      ASSERT_TRUE(store_->has(sha256_hex(bytes))) << bytes << when;
    }
  });
}

TEST_F(BlobFaultsTest, ANewProcessDoesNotBelieveWhatTheOldOneCouldNotSync) {
  each_fault([&](const std::string& when) {
    restart();
    ASSERT_TRUE(store_->sync()) << when;
    work_->name(*store_, {"one", "two", "many 3", "adopted", "last"});
    store_.reset();
    files_->lose_power(luck_);
    restart();
    work_->check(*store_, "after restart and power loss " + when);
  });
}

TEST_F(BlobFaultsTest, PowerLossBetweenAnyTwoCallsLosesNothingThatWasSafe) {
  const int calls = calls_without_faults();
  for (int first = 1; first <= calls; ++first) {
    std::set<int> all_from;
    for (int call = first; call <= calls + 50; ++call) all_from.insert(call);
    luck_.seed(static_cast<unsigned>(first));
    begin(all_from);
    store_.reset();
    files_->lose_power(luck_);
    restart();
    work_->check(*store_, "when the power went at call " + std::to_string(first));
    end();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace roost
