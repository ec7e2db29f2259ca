#include "net/content_encoding.h"

#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kWorthIt = 1024;
constexpr std::size_t kMaxEncodings = 2;  // one on top of the other; nobody does, and each may multiply

std::optional<Encoding> encoding_named(std::string_view name) {
  if (name == "gzip" || name == "x-gzip") return Encoding::kGzip;
  if (name == "deflate") return Encoding::kDeflate;
  if (name == "identity") return Encoding::kIdentity;
  return std::nullopt;
}

struct Offer {
  std::string name;
  double weight = 1;
};

std::vector<Offer> offers_of(std::string_view accept_encoding) {
  std::vector<Offer> out;
  for (const std::string& one : split(accept_encoding, ',')) {
    const std::vector<std::string> parts = split(one, ';');
    Offer offer{lower(trim(parts[0])), 1};
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::string_view part = trim(parts[i]);
      if (part.starts_with("q=")) offer.weight = std::strtod(std::string(part.substr(2)).c_str(), nullptr);
    }
    if (!offer.name.empty()) out.push_back(std::move(offer));
  }
  return out;
}

double weight_of(const std::vector<Offer>& offers, std::string_view name, double unnamed) {
  for (const Offer& offer : offers) {
    if (offer.name == name) return offer.weight;
  }
  return unnamed;
}

// Whether the client wants just one thing, and would not have said so by itself.
bool asks_for_one(std::string_view accept_encoding) {
  const std::vector<Offer> offers = offers_of(accept_encoding);
  return offers.size() == 1 && offers[0].name != "*";
}

}  // namespace

Status decode_body(Request& request, std::uint64_t limit) {
  const auto header = request.headers.find("content-encoding");
  if (header == request.headers.end()) return {};
  std::vector<Encoding> encodings;
  for (const std::string& one : split(header->second, ',')) {
    const std::string name = lower(trim(one));
    if (name.empty()) continue;
    const auto encoding = encoding_named(name);
    if (!encoding) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("the Content-Encoding '{}' is not known here: send gzip, deflate or none",
                                                           printable(name, 30)));
    }
    if (*encoding != Encoding::kIdentity) encodings.push_back(*encoding);
  }
  if (encodings.size() > kMaxEncodings) return fail(ErrorCode::kInvalidArgument, "the body is compressed too many times");
  for (auto it = encodings.rbegin(); it != encodings.rend(); ++it) {
    ROOST_TRY(request.body, decompress(*it, request.body, limit));
  }
  request.headers.erase(header);
  return {};
}

Encoding choose_encoding(std::string_view accept_encoding) {
  const std::vector<Offer> offers = offers_of(accept_encoding);
  const double any = weight_of(offers, "*", 0);
  const double gzip = weight_of(offers, "gzip", weight_of(offers, "x-gzip", any));
  const double deflate = weight_of(offers, "deflate", any);
  const double identity = weight_of(offers, "identity", 0);
  if (gzip > 0 && gzip >= deflate && gzip > identity) return Encoding::kGzip;
  if (deflate > 0 && deflate > identity) return Encoding::kDeflate;
  return Encoding::kIdentity;
}

void encode_body(std::string_view accept_encoding, Response& response) {
  if (response.stream || response.body.size() < kWorthIt || response.headers.contains("Content-Encoding")) return;
  const Encoding encoding = choose_encoding(accept_encoding);
  if (encoding == Encoding::kIdentity) return;
  if (response.content_type == "application/octet-stream" && !asks_for_one(accept_encoding)) return;
  response.body = compress(encoding, response.body);
  response.headers["Content-Encoding"] = encoding == Encoding::kGzip ? "gzip" : "deflate";
  response.headers["Vary"] = "Accept-Encoding";
}

}  // namespace roost
