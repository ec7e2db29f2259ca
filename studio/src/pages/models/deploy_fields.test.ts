import { expect, test } from "vitest";
import { endpointNameProblem } from "../endpoints/facts";
import { checkReplicas, suggestedName } from "./deploy_fields";

test("replicas are whole numbers in order", () => {
  expect(checkReplicas({ min: "0", max: "4" })).toEqual({});
  expect(checkReplicas({ min: "-1", max: "0" })).toEqual({ min: expect.any(String), max: expect.any(String) });
  expect(checkReplicas({ min: "3", max: "2" })).toEqual({ max: "Not below the least." });
});

test("the name of a model becomes one that an endpoint may have", () => {
  expect(suggestedName("Bird_Net v2")).toBe("bird-net-v2");
  for (const name of ["42", "Ünï", "a".repeat(31) + "--b", "-x-", "ab"]) expect(endpointNameProblem(suggestedName(name)), name).toBeUndefined();
});
