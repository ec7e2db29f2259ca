// The colours that a terminal has by number, and text that can be read on them.
export type Rgb = [number, number, number];

const BASIC: Rgb[] = [
  [0, 0, 0], [178, 38, 30], [22, 120, 60], [138, 95, 0], [36, 86, 199], [142, 50, 150], [12, 115, 128], [210, 214, 222],
  [86, 94, 108], [222, 70, 60], [50, 170, 90], [214, 165, 40], [90, 140, 245], [196, 96, 204], [60, 180, 195], [255, 255, 255],
];

export function rgbOf(color: number | Rgb): Rgb {
  if (typeof color !== "number") return color;
  if (color < 16) return BASIC[color]!;
  if (color >= 232) {
    const gray = 8 + (color - 232) * 10;
    return [gray, gray, gray];
  }
  const level = (n: number) => (n === 0 ? 0 : 55 + n * 40);
  const cube = color - 16;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

function luminance(color: Rgb): number {
  const [r, g, b] = color.map((value) => (value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

export function contrast(a: Rgb, b: Rgb): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** The colour asked for where it can be read on that ground, else black or white. */
export function readable(color: Rgb | undefined, ground: Rgb): Rgb {
  if (color && contrast(color, ground) >= 4.5) return color;
  return contrast([0, 0, 0], ground) >= contrast([255, 255, 255], ground) ? [0, 0, 0] : [255, 255, 255];
}
