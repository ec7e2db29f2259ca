// Smoothing as TensorBoard does it: an exponential average that is not drawn towards zero at its start.

/** `weight` 0 leaves the values alone, towards 1 they get smoother. What is not a number stays a gap. */
export function smooth(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return values.slice();
  const kept = Math.min(weight, 0.9999);
  let average = 0;
  let bias = 1;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return null;
    average = average * kept + (1 - kept) * value;
    bias *= kept;
    return average / (1 - bias);
  });
}
