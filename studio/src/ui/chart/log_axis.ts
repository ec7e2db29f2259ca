// Where a logarithmic axis is labelled. uPlot's own way expects an axis that begins at a power of ten; on others, such as
// 1.3e-7 to 1.1e-2, it counts on from a rounded 0 and never ends.

const DIGITS = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1]];

/** Between two positive values, at most about `most` places: as many digits of each power of ten as there is room for. */
export function logSplits(low: number, high: number, most: number): number[] {
  if (!(low > 0) || !(high > low) || !Number.isFinite(high)) return [];
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  for (const digits of DIGITS) {
    const found: number[] = [];
    if ((last - first + 1) * digits.length > 3 * most + 20) continue;
    for (let power = first; power <= last; power += 1) {
      for (const digit of digits) {
        const value = Number(`${digit}e${power}`);
        if (value >= low && value <= high) found.push(value);
      }
    }
    if (found.length > Math.max(most, 2)) continue;
    return found.length >= 2 ? found : evenSplits(low, high, most);
  }
  const every = Math.max(1, Math.ceil((last - first) / Math.max(1, most)));
  const found: number[] = [];
  for (let power = Math.ceil(first / every) * every; power <= last; power += every) {
    const value = Number(`1e${power}`);
    if (value >= low && value <= high) found.push(value);
  }
  return found;
}

/** In less than a power of ten: at round numbers. */
function evenSplits(low: number, high: number, most: number): number[] {
  const rough = (high - low) / Math.max(2, Math.min(most, 6));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= rough) ?? 10 * power;
  const found: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high && found.length < 100; i += 1) found.push(Number((i * step).toPrecision(12)));
  return found;
}
