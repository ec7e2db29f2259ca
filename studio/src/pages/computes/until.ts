// A time to come, in words.
import { duration } from "../../lib/format";

export function until(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  return seconds < 1 ? "any moment" : `in ${duration(seconds)}`;
}
