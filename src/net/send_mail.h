#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace roost {

// A mail server and how to speak to it. A name and a password are only ever sent over TLS.
struct MailServer {
  enum class Security { kNone, kStartTls, kTls };
  std::string host;
  int port = 587;
  Security security = Security::kStartTls;
  std::string user;  // "": without logging in
  std::string password;
};

// Addresses without < and >, checked by the caller; texts may be anything.
struct Mail {
  std::string from;
  std::vector<std::string> to;
  std::string subject;
  std::string text;
  std::string id;    // unique; the same for a mail that is sent once more, so that readers show it once
  std::string date;  // as of RFC 5322
};

// Hands the mail in by SMTP (RFC 5321) and returns once the server has taken it. kUnavailable if it cannot be reached or
// says "later" (4xx), kDeadlineExceeded if it does not answer within `timeout` a step, kFailedPrecondition with its words if
// it refuses for good (5xx) or does not offer what `security` asks for.
Status send_mail(const MailServer& server, const Mail& mail, std::chrono::milliseconds timeout);

// The mail as it goes over the wire: headers, quoted-printable text, dots doubled, CR LF, the dot that ends it.
std::string mail_text(const Mail& mail);

}  // namespace roost
