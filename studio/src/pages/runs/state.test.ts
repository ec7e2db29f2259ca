import { describe, expect, it } from "vitest";
import { changeOf, DEFAULT_COLUMNS, nextSort, openGroup, stateOf, viewOf, type TableState } from "./state";

/** What useSearch does with a change. */
function applied(state: Partial<TableState>): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(changeOf(state))) {
    if (Array.isArray(value)) value.forEach((one) => search.append(name, one));
    else if (value) search.set(name, value);
  }
  return search;
}

describe("state in the address", () => {
  it("is empty for the usual list", () => {
    const usual = stateOf(new URLSearchParams());
    expect(usual).toEqual({ q: "", sort: "-created", columns: DEFAULT_COLUMNS, group: "", children: false, open: [] });
    expect(applied(usual).toString()).toBe("");
  });
  it("comes back as it was", () => {
    const state: TableState = {
      q: 'status:failed tags.owner="ana & co" params.lr>0.01',
      sort: "metrics.loss",
      columns: ["status", "metrics.val,loss", "params.a=b", "tags.x y"],
      group: "params.lr",
      children: true,
      open: ["r:abc", openGroup("0.1"), openGroup(null), openGroup("")],
    };
    expect(stateOf(new URLSearchParams(applied(state).toString()))).toEqual(state);
  });
  it("knows a table without columns from one with the usual columns", () => {
    expect(stateOf(applied({ columns: [] })).columns).toEqual([]);
  });
  it("tells a group without the field from one whose value is empty", () => {
    expect(openGroup(null)).not.toBe(openGroup(""));
  });
  it("keeps in a view what the list is, not what is opened in it", () => {
    expect(viewOf(new URLSearchParams("q=a+b&open=r%3Ax&column=status&column=tags&other=1"))).toBe("q=a+b&column=status&column=tags");
  });
});

describe("a click on a header", () => {
  it("begins with the newest, the longest, or the letter a", () => {
    expect(nextSort("-created", "duration")).toBe("-duration");
    expect(nextSort("-created", "experiment")).toBe("experiment");
  });
  it("turns the order round", () => {
    expect(nextSort("-created", "created")).toBe("created");
    expect(nextSort("created", "created")).toBe("-created");
    expect(nextSort("experiment", "experiment")).toBe("-experiment");
    expect(nextSort("-metrics.loss", "metrics.loss")).toBe("metrics.loss");
  });
});
