// Colours for a value from 0 to 1: mixed from the theme's, so that they are seen on light and on dark.
export const rampColor = (at: number | undefined): string =>
  at === undefined ? "var(--line-strong)" : `color-mix(in oklch increasing hue, var(--c1) ${Math.round(100 * (1 - at))}%, var(--c5))`;
