/** Lets the loop turn until something holds, for so many milliseconds at most: for what no one announces. */
export async function until(holds: () => boolean, ms = 10_000): Promise<void> {
  const end = performance.now() + ms
  while (!holds()) {
    if (performance.now() > end) throw new Error(`it did not come about within ${ms} ms`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Asks again and again until it holds; says what it saw last when it does not. */
export async function eventually<T>(what: string, ms: number, look: () => Promise<T>, holds: (seen: T) => boolean) {
  const end = performance.now() + ms
  for (;;) {
    const seen = await look()
    if (holds(seen)) return seen
    if (performance.now() > end)
      throw new Error(`${what}: not within ${ms} ms, but ${JSON.stringify(seen).slice(0, 2000)}`)
    await Bun.sleep(100)
  }
}
