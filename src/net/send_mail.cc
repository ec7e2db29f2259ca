#include "net/send_mail.h"

#include <poll.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/text.h"
#include "net/client_socket.h"

namespace roost {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kLongestAnswer = 64 * 1024;
constexpr std::size_t kLongestLine = 72;

// Whole characters of at most 40 bytes to a word, so that no line gets long and no character is torn.
std::string header_words(const std::string& text) {
  const bool plain = text.size() < kLongestLine && std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= ' ' && c < 0x7F; });
  if (plain) return text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.size(), at + 40);
    while (end < text.size() && end > at + 1 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    if (!out.empty()) out += "\r\n ";
    out += "=?UTF-8?B?" + base64_encode(std::string_view(text).substr(at, end - at)) + "?=";
    at = end;
  }
  return out;
}

void add_quoted(std::string& out, std::string_view line) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    const bool is_last_blank = c == ' ' && i + 1 == line.size();
    const bool as_is = c >= ' ' && c < 0x7F && c != '=' && !is_last_blank && !(c == '.' && length == 0);
    if (length + (as_is ? 1 : 3) > kLongestLine) {
      out += "=\r\n";
      length = 0;
      --i;  // once more, at the start of a line
      continue;
    }
    if (as_is) {
      out += line[i];
      length += 1;
    } else {
      out += fmt::format("={:02X}", c);
      length += 3;
    }
  }
  out += "\r\n";
}

// One talk with a server.
class SmtpTalk {
 public:
  SmtpTalk(const MailServer& server, milliseconds timeout) : server_(server), timeout_(timeout) {
    url_.tls = server.security == MailServer::Security::kTls;
    url_.host = server.host;
    url_.port = std::to_string(server.port);
    url_.authority = server.host;
  }

  Status send(const Mail& mail) {
    ROOST_CHECK(open());
    ROOST_CHECK(log_in());
    ROOST_CHECK(command(fmt::format("MAIL FROM:<{}>", mail.from), 250));
    for (const auto& to : mail.to) ROOST_CHECK(command(fmt::format("RCPT TO:<{}>", to), 250));
    ROOST_CHECK(command("DATA", 354));
    ROOST_CHECK(write(mail_text(mail)));
    ROOST_CHECK(expect(250, "taking the mail"));
    (void)command("QUIT", 221);  // the mail is theirs already
    return {};
  }

 private:
  Status open() {
    if (server_.security != MailServer::Security::kNone) {
      ROOST_TRY(tls_, make_client_tls(""));
    }
    auto connected = ClientSocket::connect(url_, tls_.get(), timeout_, interrupt_);
    if (!connected) {
      return fail(ErrorCode::kUnavailable, fmt::format("cannot connect to the mail server {}:{}: {}", server_.host, server_.port,
                                                       connected.error().message));
    }
    socket_ = std::move(*connected);
    ROOST_CHECK(expect(220, "its greeting"));
    ROOST_CHECK(greet());
    if (server_.security != MailServer::Security::kStartTls) return {};
    if (!offers("STARTTLS")) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the mail server {} does not offer STARTTLS; nothing was sent to it", server_.host));
    }
    ROOST_CHECK(command("STARTTLS", 220));
    // What came in the clear after it could be anybody's.
    if (!received_.empty()) return fail(ErrorCode::kUnavailable, "the mail server spoke before TLS began");
    const Status secured = socket_->start_tls(url_, tls_.get(), steady_clock::now() + timeout_, interrupt_);
    if (!secured) {
      return fail(ErrorCode::kUnavailable, fmt::format("TLS with the mail server {} failed: {}", server_.host, secured.error().message));
    }
    return greet();
  }

  Status greet() { return command("EHLO [127.0.0.1]", 250); }

  Status log_in() {
    if (server_.user.empty()) return {};
    if (offers_auth("PLAIN")) {
      const std::string both = std::string(1, '\0').append(server_.user).append(1, '\0').append(server_.password);
      return command("AUTH PLAIN " + base64_encode(both), 235, "AUTH");
    }
    ROOST_CHECK(command("AUTH LOGIN", 334));
    ROOST_CHECK(command(base64_encode(server_.user), 334, "AUTH"));
    return command(base64_encode(server_.password), 235, "AUTH");
  }

  bool offers(std::string_view what) const {
    return std::any_of(offered_.begin(), offered_.end(), [&](const std::string& line) { return lower(line) == lower(std::string(what)); });
  }
  bool offers_auth(const std::string& way) const {
    return std::any_of(offered_.begin(), offered_.end(), [&](const std::string& line) {
      const auto words = split(lower(line), ' ');
      return !words.empty() && words.front() == "auth" && std::find(words.begin(), words.end(), lower(way)) != words.end();
    });
  }

  // `shown` is what errors call a command that has a password in it.
  Status command(const std::string& line, int wanted, const std::string& shown = "") {
    ROOST_CHECK(write(line + "\r\n"));
    return expect(wanted, shown.empty() ? line : shown);
  }

  Status expect(int wanted, const std::string& doing) {
    offered_.clear();
    for (;;) {
      ROOST_TRY(const std::string line, read_line());
      const bool has_code = std::string_view(line).substr(0, 3).find_first_not_of("0123456789") == std::string_view::npos && line.size() >= 3;
      if (!has_code) return fail(ErrorCode::kUnavailable, fmt::format("{} is no mail server: it said \"{}\"", server_.host, printable(line, 200)));
      if (line.size() > 4) offered_.push_back(line.substr(4));
      if (line.size() > 3 && line[3] == '-') continue;
      const int code = std::stoi(line.substr(0, 3));
      // 251: it will be forwarded, which is as good.
      if (code == wanted || (wanted == 250 && code == 251)) return {};
      return fail(code >= 500 ? ErrorCode::kFailedPrecondition : ErrorCode::kUnavailable,
                  fmt::format("the mail server {} answered {}: \"{}\"", server_.host, printable(doing, 100), printable(line, 300)));
    }
  }

  Result<std::string> read_line() {
    for (;;) {
      if (const auto end = received_.find('\n'); end != std::string::npos) {
        std::string line(trim(received_.substr(0, end)));
        received_.erase(0, end + 1);
        return line;
      }
      if (received_.size() > kLongestAnswer) return fail(ErrorCode::kUnavailable, "the mail server's answer does not end");
      char some[4096];
      const auto outcome = socket_->read(some, sizeof some);
      if (outcome.ended || !outcome.error.empty()) {
        return fail(ErrorCode::kUnavailable, fmt::format("the mail server {} closed the connection", server_.host));
      }
      received_.append(some, outcome.size);
      if (outcome.wants != 0) ROOST_CHECK(wait(outcome.wants));
    }
  }

  Status write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto outcome = socket_->write(bytes);
      if (!outcome.error.empty()) {
        return fail(ErrorCode::kUnavailable, fmt::format("the mail server {} closed the connection", server_.host));
      }
      bytes.remove_prefix(outcome.size);
      if (outcome.wants != 0) ROOST_CHECK(wait(outcome.wants));
    }
    return {};
  }

  Status wait(short events) {
    const auto came = socket_->wait(events, timeout_, interrupt_);
    if (came) return {};
    return fail(came.error().code, fmt::format("the mail server {} did not answer: {}", server_.host, came.error().message));
  }

  const MailServer& server_;
  const milliseconds timeout_;
  Url url_;
  TlsContext tls_;
  Interrupt interrupt_;
  std::unique_ptr<ClientSocket> socket_;
  std::string received_;
  std::vector<std::string> offered_;  // the lines of the last answer
};

}  // namespace

std::string mail_text(const Mail& mail) {
  std::string out = fmt::format("From: {}\r\nTo: {}\r\nSubject: {}\r\nDate: {}\r\nMessage-ID: <{}>\r\nMIME-Version: 1.0\r\n"
                                "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n"
                                "Auto-Submitted: auto-generated\r\n\r\n",
                                mail.from, fmt::join(mail.to, ", "), header_words(mail.subject), mail.date, mail.id);
  std::string_view rest = mail.text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    add_quoted(out, rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return out + ".\r\n";
}

Status send_mail(const MailServer& server, const Mail& mail, milliseconds timeout) {
  if (!server.user.empty() && server.security == MailServer::Security::kNone) {
    return fail(ErrorCode::kFailedPrecondition, "a password is not sent without TLS");
  }
  return SmtpTalk(server, timeout).send(mail);
}

}  // namespace roost
