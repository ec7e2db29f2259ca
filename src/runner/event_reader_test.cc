#include "runner/event_reader.h"

#include "runner/test_attempt.h"
#include "tensorboard/test_events.h"

namespace roost {
namespace {

// The reader without its thread: finish() reads what is there.
class EventReaderTest : public AttemptTest {
 protected:
  void make(std::optional<timespec> launched = {}) {
    code_ = folder("code");
    std::filesystem::create_directories(code_ / "logs");
    std::filesystem::create_directories(code_ / "outputs");
    auto server = std::make_unique<ServerLink>(settings_.server_file, settings_.data_id, "token", over_);
    reader_ = std::make_unique<EventReader>(
        EventReader::Place{code_, folder("events"), "/runs/r1/artifacts", launched}, std::move(server), clock_, over_);
  }
  std::filesystem::path folder(const char* name) const { return settings_.folder / name; }
  void put(const std::string& path, const std::string& bytes, bool anew = false) {
    const auto file = code_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, anew ? std::ios::trunc : std::ios::app) << bytes;
  }
  std::string read() {
    SpaceWait no_wait(clock_, 0, [] { return true; });
    reader_->finish(no_wait);
    return read_file(folder("events") / "tensorboard.spool").value_or("");
  }
  static std::string line(const std::string& name, int step) {
    return "[\"scalar\",\"" + name + "\",1.0," + std::to_string(step) + ",5.000000]\n";
  }

  std::atomic<bool> over_ = false;
  std::filesystem::path code_;
  std::unique_ptr<EventReader> reader_;
};

constexpr const char* kFile = "logs/events.out.tfevents.1.host.1.0";

TEST_F(EventReaderTest, NothingIsMadeWhereThereIsNothing) {
  make();
  put("logs/other.txt", "no events");
  EXPECT_EQ(read(), "");
  EXPECT_FALSE(std::filesystem::exists(folder("events")));
  EXPECT_TRUE(reader_->notices().empty());
}

TEST_F(EventReaderTest, FilesAreReadAsTheyGrowAndFoldersAreNames) {
  make();
  const std::string second = scalar_event("loss", 2, 5, 1);
  put(kFile, first_event(1) + scalar_event("loss", 1, 5, 1) + second.substr(0, 20));
  put("outputs/val/events.out.tfevents.1.host.1.1", first_event(2) + scalar_event("loss", 1, 5, 1));
  EXPECT_EQ(read(), line("loss", 1) + line("val/loss", 1));
  put(kFile, second.substr(20));
  EXPECT_EQ(read(), line("loss", 1) + line("val/loss", 1) + line("loss", 2));
}

TEST_F(EventReaderTest, ACopyAndAnotherNameAreReadOnce) {
  make();
  put(kFile, first_event(1) + scalar_event("loss", 1, 5, 1));
  EXPECT_EQ(read(), line("loss", 1));
  put("outputs/tb/events.out.tfevents.1.host.1.0", first_event(1) + scalar_event("loss", 1, 5, 1) + scalar_event("loss", 2, 5, 1));
  EXPECT_EQ(read(), line("loss", 1) + line("loss", 2)) << "the copy has more";
  std::filesystem::rename(code_ / kFile, code_ / "outputs/events.out.tfevents.1.host.1.0");
  EXPECT_EQ(read(), line("loss", 1) + line("loss", 2));
}

TEST_F(EventReaderTest, WrittenAnewFromTheSameBeginningItGoesOn) {
  make();
  const std::string one = first_event(1) + scalar_event("loss", 1, 5, 1);
  put(kFile, one + scalar_event("loss", 2, 5, 1));
  EXPECT_EQ(read(), line("loss", 1) + line("loss", 2));
  put(kFile, one, true);
  EXPECT_EQ(read(), line("loss", 1) + line("loss", 2)) << "as a copy under way looks";
  put(kFile, scalar_event("loss", 2, 5, 1) + scalar_event("loss", 3, 5, 1));
  EXPECT_EQ(read(), line("loss", 1) + line("loss", 2) + line("loss", 3));
  put(kFile, first_event(9) + scalar_event("new", 1, 5, 1), true);
  EXPECT_EQ(read(), line("loss", 1) + line("loss", 2) + line("loss", 3)) << "too short to be looked at";
}

TEST_F(EventReaderTest, WhatIsCorruptIsPassedOverWithANotice) {
  make();
  std::string bad = scalar_event("loss", 2, 5, 1);
  bad[20] ^= 1;
  put(kFile, first_event(1) + scalar_event("loss", 1, 5, 1) + bad + "garbage in between" + scalar_event("loss", 3, 5, 1) + "end");
  EXPECT_EQ(read(), line("loss", 1) + line("loss", 3));
  const std::string told = to_text(reader_->notices().json());
  EXPECT_NE(told.find("are no events and were passed over; ends in the middle of an event"), std::string::npos) << told;
}

TEST_F(EventReaderTest, WhatWasThereBeforeTheRunIsPassedOver) {
  timespec later{};
  ::clock_gettime(CLOCK_REALTIME, &later);
  later.tv_sec += 10;
  make(later);
  put(kFile, first_event(1) + scalar_event("loss", 1, 5, 1));
  EXPECT_EQ(read(), "");
}

TEST_F(EventReaderTest, LinksAreNotFollowed) {
  make();
  const auto outside = settings_.folder / "events.out.tfevents.1";
  std::ofstream(outside) << first_event(1) + scalar_event("secret", 1, 5, 1);
  std::filesystem::create_symlink(outside, code_ / kFile);
  EXPECT_EQ(read(), "");
}

TEST_F(EventReaderTest, ThousandsOfPointsGoThroughALittleMemory) {
  make();
  std::string bytes = first_event(1);
  std::string lines;
  for (int step = 0; step < 60'000; ++step) {
    bytes += scalar_event("loss", step, 5, 1);
    lines += line("loss", step);
  }
  ASSERT_GT(bytes.size(), 2 * EventFile::kWindow);
  put(kFile, bytes);
  EXPECT_EQ(read(), lines);
}

}  // namespace
}  // namespace roost
