// How values read on screen.
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const whole = Math.round(seconds);
  const [days, hours, minutes] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return `${minutes} min ${whole % 60} s`;
}

export function bytes(count: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (count >= 1000 && unit < units.length - 1) {
    count /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? count : count.toFixed(count < 10 ? 2 : count < 100 ? 1 : 0)} ${units[unit]}`;
}

export const count = (n: number): string => n.toLocaleString("en-US");

/** Short on screen; the title of the element should have the whole value. */
export function number(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "number") return "–";
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(3) : Number(value.toPrecision(5)).toString();
}

/** "NaN" and the infinities come as strings, since JSON has no such numbers. */
export function toNumber(value: number | string | null | undefined): number {
  if (typeof value === "number") return value;
  if (value === "Infinity") return Infinity;
  if (value === "-Infinity") return -Infinity;
  return NaN;
}

/** Whether it is one of the words for what JSON has no number for. */
export const isOdd = (value: unknown): value is string => value === "NaN" || value === "Infinity" || value === "-Infinity";

export function ago(iso: string, now = Date.now()): string {
  const seconds = (now - Date.parse(iso)) / 1000;
  if (seconds < 5) return "now";
  if (seconds < 60) return `${Math.floor(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 30 * 86400) return `${Math.floor(seconds / 86400)} d ago`;
  return day.format(new Date(iso));
}
const day = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short" });

// Made once: a new one for every time in a table takes longer than drawing the table.
const clock = new Intl.DateTimeFormat("sv-SE", {
  year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short",
});
/** The time here, and in UTC. */
export function fullTime(iso: string): string {
  const at = new Date(iso);
  const here = clock.format(at);
  const utc = at.toISOString().slice(0, 19).replace("T", " ");
  return here.startsWith(utc) ? `${utc} UTC` : `${here}, ${utc} UTC`;
}
/** The time here, to the second. */
export const localTime = (iso: string): string => clock.format(new Date(iso)).replace(/ [^ ]+$/, "");
