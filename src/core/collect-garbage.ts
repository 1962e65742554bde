/** Bytes by which a process may grow between two collections. */
const GROWTH = 4 * 1024 * 1024

let size = 0

/**
 * Collects garbage in a worker, once the process has grown enough: the collector itself lets a heap double first. Large
 * jobs call it between their stages. On the main thread it does nothing, since the event loop would wait.
 */
export function collectGarbage(): void {
  if (Bun.isMainThread) return
  const grown = process.memoryUsage.rss()
  if (size !== 0 && grown - size < GROWTH) {
    size = Math.min(size, grown)
    return
  }
  if (size !== 0) Bun.gc(true)
  size = process.memoryUsage.rss()
}
