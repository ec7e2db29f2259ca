import { describe, expect, it } from "vitest";
import { accept, complete, fieldAt, isHalf, type Known } from "./complete";
import { both, groupQuery, listQuery, quoted } from "./query";

const known: Known = {
  metrics: ["loss", "val loss"],
  params: ["lr", "batch-size"],
  tags: ["owner"],
  values: (field) => ({ experiment: ["birds", "big birds"], "tags.owner": ["ana"] })[field] ?? [],
};
const offered = (text: string, caret = text.length) => complete(text, caret, known).items.map((item) => item.text);
const chosen = (text: string, choice: string, caret = text.length) => {
  const offer = complete(text, caret, known);
  return accept(text, offer, offer.items.find((item) => item.text === choice)!);
};

describe("completion", () => {
  it("offers fields", () => {
    expect(offered("sta")).toEqual(["status:", "started>"]);
    expect(offered("birds met")).toContain("metrics.loss<");
    expect(offered("-exp")).toEqual(["experiment:"]);
    expect(offered("lr")).toContain("params.lr=");
  });
  it("offers values", () => {
    expect(offered("status:f")).toEqual(["failed", "finalizing"]);
    expect(offered("status:failed,can")).toEqual(["canceled", "cancelrequested"]);
    expect(offered("experiment:")).toEqual(["birds", '"big birds"']);
    expect(offered("tags.owner=a")).toEqual(["ana"]);
    expect(offered("is:ar")).toEqual(["archived"]);
  });
  it("is silent behind a whole term and within text it does not know", () => {
    expect(offered("status:failed")).toEqual([]);
    expect(offered("zzz")).toEqual([]);
    expect(offered("params.lr>0.")).toEqual([]);
  });
  it("puts the choice in place of the term and goes on behind it", () => {
    expect(chosen("birds sta", "status:")).toEqual({ text: "birds status:", caret: 13 });
    expect(chosen("status:f", "failed")).toEqual({ text: "status:failed ", caret: 14 });
    expect(chosen("status:f age<2d", "failed", 8)).toEqual({ text: "status:failed age<2d", caret: 14 });
    expect(chosen('experiment:"big', '"big birds"').text).toBe('experiment:"big birds" ');
    expect(chosen("status:failed,com", "completed").text).toBe("status:failed,completed ");
    expect(chosen("(met", "metrics.loss<").text).toBe("(metrics.loss<");
  });
  it("quotes a name with blanks", () => {
    expect(offered("metrics.val")).toEqual(['metrics."val loss"<']);
  });
  it("says whose values to fetch", () => {
    expect(fieldAt("experiment:b", 12)).toBe("experiment");
    expect(fieldAt("tags.owner=", 11)).toBe("tags.owner");
    expect(fieldAt("status:f", 8)).toBeNull();
    expect(fieldAt("exper", 5)).toBeNull();
  });
});

it("knows a query that is not whole yet", () => {
  for (const half of ["status:", "metrics.loss<", "tags.", "a or", "(a or b", 'experiment:"big', "-", "birds -", "status:failed,"]) expect(isHalf(half), half).toBe(true);
  for (const whole of ["", "birds", "status:failed", "(a or b)", 'experiment:"big birds"', "-status:failed", "floor", "a.b"]) expect(isHalf(whole), whole).toBe(false);
});

describe("queries that the page makes", () => {
  it("quote what would be read otherwise", () => {
    expect(quoted("birds")).toBe("birds");
    expect(quoted("1e-3")).toBe("1e-3");
    expect(quoted("or")).toBe('"or"');
    expect(quoted("-x")).toBe('"-x"');
    expect(quoted('a "b" \\')).toBe('"a \\"b\\" \\\\"');
  });
  it("hold an or together", () => {
    expect(both("a or b", "is:top")).toBe("(a or b) is:top");
    expect(both("", "is:top")).toBe("is:top");
  });
  it("leave out children unless they are asked for", () => {
    expect(listQuery({ q: "birds", children: false })).toBe("birds is:top");
    expect(listQuery({ q: "birds", children: true })).toBe("birds");
    expect(listQuery({ q: "is:child loss", children: false })).toBe("is:child loss");
    expect(listQuery({ q: "is:archived", children: false })).toBe("is:archived is:top");
    expect(listQuery({ q: "parent:abc", children: false })).toBe("parent:abc");
  });
  it("ask for the runs of a group", () => {
    expect(groupQuery("experiment", "big birds", [])).toBe('experiment:"big birds"');
    expect(groupQuery("params.lr", "0.1", [])).toBe("params.lr=0.1");
    expect(groupQuery("tags.a b", null, ["x", null])).toBe('-tags."a b"');
    expect(groupQuery("compute", null, ["local", "a b", null])).toBe('-compute:local,"a b"');
    expect(groupQuery("compute", null, [null])).toBe("");
  });
});
