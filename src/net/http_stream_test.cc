// Bodies too large or too slow to be had at once, in both directions.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "base/log.h"
#include "net/test_http.h"

namespace roost {
namespace {

using Step = ResponseStream::Step;
using std::chrono::milliseconds;

constexpr std::uint64_t kLarge = 64 << 20;

// The byte at each place of a long body, so that a lost or repeated piece is seen.
char byte_at(std::uint64_t place) { return static_cast<char>(place * 31 + (place >> 16) * 7); }

std::string piece_at(std::uint64_t place, std::size_t size) {
  std::string piece(size, '\0');
  for (std::size_t i = 0; i < size; ++i) piece[i] = byte_at(place + i);
  return piece;
}

bool matches(std::uint64_t place, std::string_view piece) {
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (piece[i] != byte_at(place + i)) return false;
  }
  return true;
}

TEST(HttpStream, UploadsInPieces) {
  TestServer test;
  std::atomic<std::size_t> largest = 0;
  test.route("PUT", "/",
             [&](Request& request) {
               std::uint64_t place = 0;
               for (;;) {
                 auto piece = request.body_stream->read();
                 if (!piece) return text_response(piece.error().message, 500);
                 if (piece->empty()) return text_response(std::to_string(place));
                 largest = std::max<std::size_t>(largest, piece->size());
                 if (!matches(place, *piece)) return text_response("wrong byte", 500);
                 place += piece->size();
               }
             },
             {kLarge, true});
  test.start();
  HttpClient client(test.url());
  for (int round = 0; round < 2; ++round) {
    ClientRequest request;
    request.method = "PUT";
    request.target = "/";
    request.body_length = kLarge;
    std::uint64_t sent = 0;
    request.body_source = [&]() -> Result<std::string> {
      const auto size = std::min<std::uint64_t>(300'000, kLarge - sent);
      sent += size;
      return piece_at(sent - size, size);
    };
    const auto response = client.send(request);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, std::to_string(kLarge));
    EXPECT_LE(largest, 2u << 20);
  }
}

TEST(HttpStream, HoldsAFastUploadBackForASlowHandler) {
  TestServer test;
  Signal go_on;
  test.route("PUT", "/",
             [&](Request& request) {
               go_on.wait();
               std::uint64_t size = 0;
               for (;;) {
                 auto piece = request.body_stream->read();
                 if (!piece || piece->empty()) return text_response(std::to_string(size));
                 EXPECT_LE(piece->size(), 2u << 20);
                 size += piece->size();
               }
             },
             {kLarge, true});
  test.start();
  std::atomic<std::uint64_t> sent = 0;
  std::thread sender([&] {
    HttpClient client(test.url());
    ClientRequest request;
    request.method = "PUT";
    request.target = "/";
    request.body_length = kLarge;
    request.body_source = [&]() -> Result<std::string> {
      sent += 1 << 20;
      return std::string(1 << 20, 'x');
    };
    const auto response = client.send(request);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, std::to_string(kLarge));
  });
  // Until the sender has stopped of itself; the sockets hold a few MB.
  std::uint64_t before = 1;
  while (before != sent) {
    before = sent;
    std::this_thread::sleep_for(milliseconds(200));
  }
  EXPECT_LT(sent, kLarge / 2);
  go_on.set();
  sender.join();
}

class Download : public ::testing::TestWithParam<bool> {};

TEST_P(Download, ComesInPiecesAndNoFasterThanTaken) {
  TestServer test;
  std::atomic<std::uint64_t> made = 0;
  auto destroyed = std::make_shared<Signal>();
  test.route("GET", "/", [&](Request&) {
    Response response;
    auto stream = std::make_unique<FunctionStream>([&](std::string& piece) {
      if (made == kLarge) return Step::kEnd;
      piece = piece_at(made, 1 << 20);
      made += 1 << 20;
      return Step::kData;
    });
    stream->destroyed = destroyed;
    response.stream = std::move(stream);
    if (GetParam()) response.stream_length = kLarge;
    return response;
  });
  test.start();
  HttpClient client(test.url());
  std::uint64_t received = 0;
  bool right = true;
  std::uint64_t furthest_ahead = 0;
  ClientRequest request;
  request.target = "/";
  request.on_data = [&](std::string_view piece) {
    if (received < (4 << 20)) std::this_thread::sleep_for(milliseconds(2));
    furthest_ahead = std::max(furthest_ahead, made - received);
    right = right && matches(received, piece);
    received += piece.size();
    return true;
  };
  const auto response = client.send(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "");
  EXPECT_EQ(response->headers.contains("content-length"), GetParam());
  EXPECT_EQ(received, kLarge);
  EXPECT_TRUE(right);
  EXPECT_LT(furthest_ahead, kLarge / 2);
  EXPECT_TRUE(destroyed->wait());
}

INSTANTIATE_TEST_SUITE_P(HttpStream, Download, ::testing::Values(false, true));

// A stream of numbers that somebody else announces.
struct Numbers {
  std::mutex mutex;
  std::function<void()> wake;
  int announced = 0;
  int sent = 0;

  void announce() {
    std::function<void()> call;
    {
      const std::lock_guard lock(mutex);
      ++announced;
      call = wake;
    }
    if (call) call();
  }

  std::unique_ptr<FunctionStream> stream(int last) {
    auto made = std::make_unique<FunctionStream>([this, last](std::string& piece) {
      const std::lock_guard lock(mutex);
      if (sent == last) return Step::kEnd;
      if (sent == announced) return Step::kWait;
      piece = std::to_string(++sent) + "\n";
      return Step::kData;
    });
    made->on_wake = [this](std::function<void()> function) {
      const std::lock_guard lock(mutex);
      wake = std::move(function);
    };
    made->max_wait_ms = 600'000;
    return made;
  }
};

TEST(HttpStream, WaitsWithoutAThreadAndWakesAtOnce) {
  TestServer test;
  test.options.worker_threads = 1;
  std::array<Numbers, 20> numbers;
  test.route("GET", "/{n}", [&](Request& request) {
    Response response;
    response.stream =
        numbers[static_cast<std::size_t>(std::stoi(request.parameters["n"]))].stream(100);
    return response;
  });
  test.start();
  std::vector<std::unique_ptr<RawConnection>> connections;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    connections.push_back(std::make_unique<RawConnection>(test.server->port()));
    connections[i]->send("GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    // The head comes although there is no data yet.
    EXPECT_NE(connections[i]->read_until("\r\n\r\n").find("chunked"), std::string::npos);
  }
  for (int i = 1; i <= 100; ++i) {
    for (auto& each : numbers) each.announce();
    for (auto& each : connections) {
      const std::string text = std::to_string(i) + "\n";
      EXPECT_EQ(each->read_until("\n\r\n"), std::to_string(text.size()) + "\r\n" + text + "\r\n");
    }
  }
  for (auto& each : connections) EXPECT_EQ(each->read_until("0\r\n\r\n"), "0\r\n\r\n");
  for (auto& each : numbers) each.announce();
}

TEST(HttpStream, LosesNoWakeHoweverTheyFall) {
  TestServer test;
  Numbers numbers;
  constexpr int kCount = 20'000;
  test.route("GET", "/", [&](Request&) {
    Response response;
    response.stream = numbers.stream(kCount);
    return response;
  });
  test.start();
  std::thread announcer([&] {
    for (int i = 0; i < kCount; ++i) numbers.announce();
  });
  HttpClient client(test.url());
  ClientRequest request;
  request.target = "/";
  const auto response = client.send(request);
  announcer.join();
  ASSERT_TRUE(response) << response.error().message;
  std::string expected;
  for (int i = 1; i <= kCount; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(response->body, expected);
}

TEST(HttpStream, AsksAgainAfterTheLongestWait) {
  TestServer test;
  std::atomic<int> asked = 0;
  test.route("GET", "/", [&](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>(
        [&](std::string&) { return ++asked == 4 ? Step::kEnd : Step::kWait; });
    response.stream->max_wait_ms = 20;
    return response;
  });
  test.start();
  HttpClient client(test.url());
  ClientRequest request;
  request.target = "/";
  const auto response = client.send(request);
  ASSERT_TRUE(response);
  EXPECT_EQ(asked, 4);
}

TEST(HttpStream, EndsWhenThePeerGoesWhileItWaits) {
  TestServer test;
  Numbers numbers;
  auto destroyed = std::make_shared<Signal>();
  test.route("GET", "/", [&](Request&) {
    auto stream = numbers.stream(100);
    stream->destroyed = destroyed;
    Response response;
    response.stream = std::move(stream);
    return response;
  });
  test.start();
  auto raw = std::make_unique<RawConnection>(test.server->port());
  raw->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  raw->read_until("\r\n\r\n");
  raw.reset();
  EXPECT_TRUE(destroyed->wait(std::chrono::seconds(5)));
  // Nobody listens any more, which must not matter.
  numbers.announce();
  test.server.reset();
  numbers.announce();
}

TEST(HttpStream, EndsWhenTheServerStops) {
  TestServer test;
  Numbers numbers;
  auto destroyed = std::make_shared<Signal>();
  test.route("GET", "/", [&](Request&) {
    auto stream = numbers.stream(100);
    stream->destroyed = destroyed;
    Response response;
    response.stream = std::move(stream);
    return response;
  });
  test.start();
  RawConnection raw(test.server->port());
  raw.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  raw.read_until("\r\n\r\n");
  test.server->stop();
  EXPECT_TRUE(destroyed->wait(std::chrono::seconds(0)));
  // Cut off, not ended: the peer must not take what it has for the whole.
  EXPECT_EQ(raw.read_until("never"), "");
}

TEST(HttpStream, ServesTheNextRequestAfterwards) {
  TestServer test;
  Numbers numbers;
  test.route("GET", "/numbers", [&](Request&) {
    Response response;
    response.stream = numbers.stream(1);
    return response;
  });
  test.route("GET", "/plain", [&](Request&) { return text_response("plain"); });
  test.start();
  RawConnection raw(test.server->port());
  raw.send("GET /numbers HTTP/1.1\r\nHost: x\r\n\r\n");
  raw.read_until("\r\n\r\n");
  // Sent while the stream waits: it must neither disturb it nor get lost.
  raw.send("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n");
  std::this_thread::sleep_for(milliseconds(20));
  numbers.announce();
  EXPECT_EQ(raw.read_until("0\r\n\r\n"), "2\r\n1\n\r\n0\r\n\r\n");
  EXPECT_EQ(raw.read_response(), "200 plain");
}

TEST(HttpStream, CutsOffWhenTheLengthIsWrongOrNextThrows) {
  set_log_level(static_cast<LogLevel>(9));
  TestServer test;
  test.route("GET", "/{kind}", [](Request& request) {
    const std::string kind = request.parameters["kind"];
    Response response;
    response.stream = std::make_unique<FunctionStream>([kind, n = 0](std::string& piece) mutable {
      if (++n > 1 && kind == "throws") throw std::runtime_error("broken");
      if (n > 1) return Step::kEnd;
      piece = "five.";
      return Step::kData;
    });
    if (kind == "short") response.stream_length = 6;
    if (kind == "long") response.stream_length = 4;
    return response;
  });
  test.start();
  for (const char* kind : {"/throws", "/short", "/long"}) {
    HttpClient client(test.url());
    ClientRequest request;
    request.target = kind;
    const auto response = client.send(request);
    ASSERT_FALSE(response) << kind;
    EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  }
  set_log_level(LogLevel::kInfo);
}

TEST(HttpStream, SkipsEmptyPieces) {
  TestServer test;
  test.route("GET", "/", [](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>([n = 0](std::string& piece) mutable {
      piece = n % 2 == 0 ? "" : "x";
      return ++n == 7 ? Step::kEnd : Step::kData;
    });
    return response;
  });
  test.start();
  HttpClient client(test.url());
  ClientRequest request;
  request.target = "/";
  EXPECT_EQ(client.send(request)->body, "xxx");
}

TEST(HttpStream, EndsByClosingForHttp10) {
  TestServer test;
  Numbers numbers;
  numbers.announced = 2;
  test.route("GET", "/", [&](Request&) {
    Response response;
    response.stream = numbers.stream(2);
    return response;
  });
  test.start();
  RawConnection raw(test.server->port());
  raw.send("GET / HTTP/1.0\r\n\r\n");
  raw.read_until("\r\n\r\n");
  EXPECT_EQ(raw.read_until("never"), "1\n2\n");
}

}  // namespace
}  // namespace roost
