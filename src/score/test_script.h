#pragma once

// For the tests of score/ only: a folder with a script, and its servant behind a port.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "net/test_http.h"
#include "score/script_servant.h"

namespace roost {

class ScriptTest : public testing::Test {
 protected:
  ScriptTest() {
    std::string pattern = testing::TempDir() + "roost-score-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    options_.python = "python3";
    options_.app_root = folder_;
    options_.entry_script = "score.py";
    options_.sdk = ROOST_SDK;
    options_.log_access = false;
    options_.drain = std::chrono::milliseconds(5000);
    ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  }
  ~ScriptTest() override {
    if (servant_) servant_->stop();
    if (web_.server) web_.server->stop();
    servant_.reset();
    std::filesystem::remove_all(folder_);
  }

  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  std::string read(const std::string& name) {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Status try_start(const std::string& script) {
    write("score.py", script);
    ROOST_TRY(servant_, make_script_servant(options_));
    return servant_->start();
  }
  void start(const std::string& script) {
    const auto started = try_start(script);
    ASSERT_TRUE(started) << started.error().message;
    servant_->add_routes(web_.router);
    web_.options.worker_threads = servant_->threads_wanted();
    web_.start();
  }

  ClientResponse ask(const std::string& body, const std::string& target = "/score", const std::string& method = "POST",
                     std::map<std::string, std::string> headers = {}) {
    HttpClient client(web_.url());
    ClientRequest request;
    request.method = method;
    request.target = target;
    request.headers = std::move(headers);
    request.body = body;
    auto answer = client.send(request);
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? *answer : ClientResponse{};
  }
  static std::string message_of(const ClientResponse& response) {
    return text_at(parse_json(response.body, "the answer").value_or(Json()), "message");
  }

  std::filesystem::path folder_;
  ScriptServantOptions options_;
  std::unique_ptr<ScriptServant> servant_;
  TestServer web_;
};

inline const std::string kEcho = "def init():\n  pass\ndef run(data):\n  return data\n";

}  // namespace roost
