// The colour of a run in charts beside the table. By its number, so that it stays while others come and go.
import type { RunRow } from "../../lib/api";
import { colorOf, isDashed } from "../compare/selection";

const COLORS = 24;

export const runColor = ({ number }: Pick<RunRow, "number">): string => colorOf((number - 1) % COLORS);
export const runDashed = ({ number }: Pick<RunRow, "number">): boolean => isDashed((number - 1) % COLORS);
