// Requests that were sent before the part of the page that needs them was there. Each is used once, by who asks for
// the same address first.
const asked = new Map<string, Promise<Response>>();
/** Milliseconds after which an answer that nobody took may be out of date. */
const STALE = 5000;

export function askEarly(url: string): void {
  const answer = fetch(url, { credentials: "same-origin" });
  answer.catch(() => {}); // who takes it hears of it
  asked.set(url, answer);
  setTimeout(() => asked.delete(url), STALE);
}

export function takeEarly(url: string): Promise<Response> | undefined {
  const answer = asked.get(url);
  asked.delete(url);
  return answer;
}
