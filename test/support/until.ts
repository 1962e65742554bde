/** Lets the loop turn until something holds, for so many milliseconds at most: for what nobody announces. */
export async function until(holds: () => boolean, ms = 10_000): Promise<void> {
  const end = performance.now() + ms
  while (!holds()) {
    if (performance.now() > end) throw new Error(`it did not come about within ${ms} ms`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
