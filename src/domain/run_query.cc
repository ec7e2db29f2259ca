#include "domain/run_query.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/query_word.h"

namespace roost {
namespace {

constexpr std::size_t kMaxCharacters = 2000;
constexpr int kMaxTerms = 50;
constexpr int kMaxDepth = 20;

// any  := all ("or" all)*
// all  := one ("and"? one)*
// one  := ("-" | "not")? ( "(" any ")" | word )
class QueryParser {
 public:
  explicit QueryParser(std::string_view text) : reader_(text) {}

  Result<RunQuery> parse() {
    reader_.skip_blanks();
    if (reader_.at_end()) return RunQuery{};
    ROOST_TRY(query_.root, any(0));
    if (!reader_.at_end()) return fail(reader_.error(reader_.position(), ")", "nothing was opened by a ( before it"));
    return std::move(query_);
  }

 private:
  Result<QueryNode> any(int depth) {
    AnyOf found;
    do {
      ROOST_TRY(QueryNode node, all(depth));
      found.nodes.push_back(std::move(node));
    } while (take("or"));
    if (found.nodes.size() == 1) return std::move(found.nodes.front());
    return QueryNode{std::move(found)};
  }

  Result<QueryNode> all(int depth) {
    AllOf found;
    for (;;) {
      reader_.skip_blanks();
      if (!found.nodes.empty()) take("and");
      const std::size_t at = reader_.position();
      if (reader_.at_end() || reader_.peek() == ')' || stands("or")) {
        if (found.nodes.empty()) return fail(reader_.error(at, "", "a term is missing here"));
        break;
      }
      ROOST_TRY(QueryNode node, one(depth));
      found.nodes.push_back(std::move(node));
    }
    if (found.nodes.size() == 1) return std::move(found.nodes.front());
    return QueryNode{std::move(found)};
  }

  Result<QueryNode> one(int depth) {
    bool negated = false;
    for (;;) {
      if (reader_.peek() == '-') {
        reader_.advance();
      } else if (!take("not")) {
        break;
      }
      negated = !negated;
    }
    ROOST_TRY(QueryNode node, reader_.peek() == '(' ? group(depth) : term());
    if (!negated) return node;
    NoneOf none;
    none.nodes.push_back(std::move(node));
    return QueryNode{std::move(none)};
  }

  Result<QueryNode> group(int depth) {
    const std::size_t at = reader_.position();
    if (depth == kMaxDepth) return fail(reader_.error(at, "", "there are too many parentheses inside one another"));
    reader_.advance();
    ROOST_TRY(QueryNode node, any(depth + 1));
    if (reader_.peek() != ')') return fail(reader_.error(at, "(", "it is not closed; add a )"));
    reader_.advance();
    return node;
  }

  Result<QueryNode> term() {
    const std::size_t at = reader_.position();
    if (reader_.at_end() || std::string_view(" \t\r\n)").find(reader_.peek()) != std::string_view::npos) {
      return fail(reader_.error(at, "", "a term is missing here"));
    }
    if (++terms_ > kMaxTerms) return fail(reader_.error(at, "", fmt::format("a query has at most {} terms", kMaxTerms)));
    ROOST_TRY(const QueryWord word, reader_.word());
    auto node = query_term(word);
    if (!node) return fail(reader_.error(word.at, word.raw, node.error().message));
    if (const auto* is = std::get_if<KindTerm>(&node->term)) {
      query_.archived_too = query_.archived_too || is->kind == RunKind::kArchived || is->kind == RunKind::kAny;
      // What was archived before it was deleted is in the bin with all else.
      if (is->kind == RunKind::kDeleted) {
        query_.bin = InBin::kToo;
        query_.archived_too = true;
      }
    }
    return node;
  }

  bool take(std::string_view keyword) {
    reader_.skip_blanks();
    const bool taken = reader_.take_keyword(keyword);
    if (taken) reader_.skip_blanks();
    return taken;
  }

  bool stands(std::string_view keyword) const {
    QueryReader ahead = reader_;
    return ahead.take_keyword(keyword);
  }

  QueryReader reader_;
  RunQuery query_;
  int terms_ = 0;
};

}  // namespace

Result<RunQuery> parse_run_query(std::string_view text) {
  if (!is_utf8(text)) return fail(ErrorCode::kInvalidArgument, "the query is not valid UTF-8");
  const auto length = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  if (static_cast<std::size_t>(length) > kMaxCharacters) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the query has {} characters; at most {} are taken", length, kMaxCharacters));
  }
  return QueryParser(text).parse();
}

}  // namespace roost
