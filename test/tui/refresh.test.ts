import { expect, test } from 'bun:test'
import { Refresh } from '../../tui/data/refresh.ts'

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Reads again, with a clock that the test moves. */
class Clocked {
  readonly pauses: number[] = []
  reads = 0
  readonly refresh: Refresh
  #due: (() => void) | undefined
  readonly #ended = new AbortController()

  constructor() {
    const after = (ms: number, run: () => void) => {
      this.pauses.push(ms)
      this.#due = run
      return { cancel: () => this.#forget() }
    }
    this.refresh = new Refresh({ after }, async () => void this.reads++, this.#ended.signal)
  }

  /** So many events come during a pause, and it is over. */
  async pass(events = 0): Promise<void> {
    for (let n = 0; n < events; n++) this.refresh.changed()
    const due = this.#due
    this.#forget()
    due?.()
    await settled()
  }

  #forget(): void {
    this.#due = undefined
  }

  close(): void {
    this.#ended.abort()
  }
}

test('a page is read immediately, then once for all events within a pause, and after the last one', async () => {
  const page = new Clocked()
  page.refresh.changed()
  await settled()
  expect(page.reads).toBe(1)
  await page.pass(3)
  expect(page.reads).toBe(2)
  await page.pass()
  expect(page.reads).toBe(2)
  page.refresh.changed()
  expect(page.reads).toBe(3)
  page.refresh.changed()
  page.close()
  await page.pass()
  page.refresh.changed()
  expect(page.reads).toBe(3)
})

test('pauses grow while events rain, up to two seconds, and shrink again after the rain', async () => {
  const page = new Clocked()
  page.refresh.changed()
  await settled()
  for (let n = 0; n < 5; n++) await page.pass(20)
  for (let n = 0; n < 4; n++) await page.pass(1)
  expect(page.pauses).toEqual([300, 600, 1200, 2000, 2000, 2000, 1000, 500, 300, 300])
  expect(page.reads).toBe(10)
})

test('requested data is read under heavy load as well, once per burst of keys', async () => {
  const page = new Clocked()
  page.refresh.changed()
  await settled()
  for (let n = 0; n < 4; n++) await page.pass(20)
  expect(page.reads).toBe(5)
  page.refresh.soon()
  await settled()
  expect(page.reads).toBe(6)
  for (let n = 0; n < 5; n++) page.refresh.soon()
  expect(page.reads).toBe(6)
  await page.pass()
  expect(page.reads).toBe(7)
  expect(page.pauses.at(-1)).toBe(300)
})
