import type { World } from '../support/world.ts'

/** Collects a stream as its bytes arrive. */
export async function open(world: World, path: string, headers: Record<string, string> = {}) {
  const stop = new AbortController()
  const requestedAt = performance.now()
  const response = await fetch(world.url + path, { headers, signal: stop.signal })
  const opened = performance.now() - requestedAt
  let text = ''
  let wake = () => {}
  const read = (async () => {
    for await (const bytes of response.body ?? []) {
      text += new TextDecoder().decode(bytes)
      wake()
    }
  })().catch(() => {})
  const frames = () =>
    text
      .split('\n\n')
      .slice(0, -1)
      .flatMap((block) => (block.includes('data: ') ? [block.replace(/^:.*\n/gm, '')] : []))
  return {
    response,
    opened,
    /** Once the server has ended it. */
    ended: read,
    frames,
    /** Waits until a number of frames have arrived, with a timeout. */
    async until(count: number, ms = 5_000): Promise<string[]> {
      const end = performance.now() + ms
      while (frames().length < count) {
        if (performance.now() > end) throw new Error(`${frames().length} of ${count} frames after ${ms} ms:\n${text}`)
        await Promise.race([new Promise<void>((resolve) => (wake = resolve)), Bun.sleep(50)])
      }
      return frames()
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await read
    },
  }
}

/** The data of a frame. */
export const data = (frame = ''): Record<string, unknown> => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? 'null')
export const idOf = (frame = '') => /^id: (.*)$/m.exec(frame)?.[1]
export const eventOf = (frame = '') => /^event: (.*)$/m.exec(frame)?.[1]
