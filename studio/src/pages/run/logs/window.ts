// A log is looked at through windows: pieces of fixed size, cut into rows at line ends. Which rows there are depends on the
// bytes alone, not on the way one came: a row belongs to the window in which it begins, and may end a little way into the
// next one. A line longer than that is cut where the window ends.
export const WINDOW = 256 * 1024;
/** How far into the next window a row may go. */
export const OVERLAP = 16 * 1024;

const NEWLINE = 10;
const ESCAPE = 27;

export class LogWindow {
  /** Of the bytes held: one before the window (none at the start of the log), the window, and its overlap. */
  private bytes: Uint8Array;
  private length: number;
  private starts: number[] = [];
  private ends: number[] = [];
  /** Of the rows: whether the line began before it. */
  private continued = false;
  /** Whether there is any escape code in it. */
  escapes: boolean;

  constructor(
    readonly index: number,
    bytes: Uint8Array,
    private size: number,
  ) {
    this.bytes = bytes;
    this.length = bytes.length;
    this.escapes = bytes.includes(ESCAPE);
    this.cut();
  }

  static readonly from = (index: number): number => Math.max(0, index * WINDOW - 1);
  static readonly limit = (index: number): number => (index + 1) * WINDOW + OVERLAP - LogWindow.from(index);

  get start(): number {
    return this.index * WINDOW;
  }
  private get from(): number {
    return LogWindow.from(this.index);
  }
  /** Where the bytes that it holds end. */
  get end(): number {
    return this.from + this.length;
  }
  get rows(): number {
    return this.starts.length;
  }
  offset(row: number): number {
    return this.starts[row]!;
  }
  /** The byte after the row and its line end. */
  after(row: number): number {
    return this.ends[row]!;
  }
  /** Whether this row is the rest of a line that began in the window before. */
  isContinued(row: number): boolean {
    return row === 0 && this.continued;
  }
  endsLine(row: number): boolean {
    return this.at(this.after(row) - 1) === NEWLINE;
  }

  /** The text of a row, at most so many bytes, without its line end. */
  text(row: number, most = Infinity): string {
    const begin = this.starts[row]! - this.from;
    let end = this.ends[row]! - this.from;
    if (this.bytes[end - 1] === NEWLINE) end -= 1;
    if (this.bytes[end - 1] === 13 && end > begin) end -= 1;
    if (end - begin > most) end = characterEnd(this.bytes, begin, begin + most);
    return new TextDecoder().decode(this.bytes.subarray(begin, end));
  }
  byteLength(row: number): number {
    return this.ends[row]! - this.starts[row]!;
  }
  /** The row that holds a byte; before the first row the first, after the last the last. */
  rowAt(offset: number): number {
    let [low, high] = [0, this.starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The log has grown; `bytes` are those from `offset` on. Only what goes on where it ends is taken. */
  append(offset: number, bytes: Uint8Array, size: number): void {
    const skip = this.end - offset;
    if (skip < 0) return;
    const room = LogWindow.limit(this.index) - this.length;
    const taken = bytes.subarray(Math.min(skip, bytes.length), Math.min(skip + room, bytes.length));
    if (this.length + taken.length > this.bytes.length) {
      const larger = new Uint8Array(Math.min(LogWindow.limit(this.index), 2 * (this.length + taken.length)));
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    this.bytes.set(taken, this.length);
    this.length += taken.length;
    this.size = size;
    this.escapes ||= taken.includes(ESCAPE);
    this.cut();
  }

  /** A copy of the bytes that it holds of those from `from` to `to`. */
  slice(from: number, to: number): Uint8Array {
    return this.bytes.slice(Math.max(0, from - this.from), Math.max(0, Math.min(to - this.from, this.length)));
  }

  private at(offset: number): number | undefined {
    const i = offset - this.from;
    return i >= 0 && i < this.length ? this.bytes[i] : undefined;
  }
  private newline(from: number, before: number): number {
    const found = this.bytes.subarray(0, this.length).indexOf(NEWLINE, from - this.from);
    return found < 0 || found + this.from >= before ? -1 : found + this.from;
  }

  private cut(): void {
    this.starts = [];
    this.ends = [];
    this.continued = false;
    const border = this.start + WINDOW;
    let start = this.start;
    if (this.index > 0 && this.at(start - 1) !== NEWLINE) {
      const first = this.newline(start, start + OVERLAP);
      // Before the log has ended so far, nobody knows yet; it belongs to the line of the window before.
      if (first >= 0) start = first + 1;
      else if (this.end < start + OVERLAP && this.end >= this.size) start = this.end;
      else this.continued = true;
    }
    while (start < border && start < this.end) {
      const found = this.newline(start, this.end);
      let end: number;
      if (found >= 0 && found < border + OVERLAP) end = found + 1;
      else if (found < 0 && this.end < border + OVERLAP && this.end >= this.size) end = this.end;
      else end = border;
      this.starts.push(start);
      this.ends.push(end);
      start = end;
    }
  }
}

/** Not in the middle of a character of UTF-8. */
function characterEnd(bytes: Uint8Array, begin: number, end: number): number {
  let cut = end;
  while (cut > begin && cut > end - 4 && (bytes[cut]! & 0xc0) === 0x80) cut -= 1;
  return cut;
}
