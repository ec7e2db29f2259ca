/** The first true value of `ask`, which is asked again and again; fails with `what` after so many seconds. */
export async function until<T>(what: string, seconds: number, ask: () => T | Promise<T>): Promise<NonNullable<T>> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await ask();
    if (value) return value;
    if (Date.now() > end) throw new Error(`after ${seconds} s still not: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
