// Charts that zoom together and show the same place under the cursor. Nothing here renders React:
// a zoom moves the charts in sight at once, and is told to the page when it has come to rest.
import type { Range } from "./curve";

export interface Member {
  showRange: (range: Range | null) => void;
  showCursor: (x: number | null) => void;
}

export class ChartGroup {
  private members = new Set<Member>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private frame = 0;
  private x: number | null = null;
  /** Called once a zoom has come to rest. */
  onSettled: (range: Range | null) => void = () => {};

  constructor(private range: Range | null = null) {}

  get current(): Range | null {
    return this.range;
  }

  add(member: Member): () => void {
    this.members.add(member);
    member.showRange(this.range);
    return () => this.members.delete(member);
  }

  zoom(range: Range | null): void {
    this.range = range;
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        for (const member of this.members) member.showRange(this.range);
      });
    }
    if (this.timer !== undefined) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.onSettled(this.range), 120);
  }

  /** From the page (its address changed), so it is not told back. */
  set(range: Range | null): void {
    if (same(this.range, range)) return;
    this.range = range;
    for (const member of this.members) member.showRange(range);
  }

  cursor(x: number | null, from: Member): void {
    if (x === this.x) return;
    this.x = x;
    for (const member of this.members) if (member !== from) member.showCursor(x);
  }
}

export const same = (a: Range | null | undefined, b: Range | null | undefined): boolean =>
  a === b || (!!a && !!b && a[0] === b[0] && a[1] === b[1]);
