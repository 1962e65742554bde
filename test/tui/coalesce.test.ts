import { expect, test } from 'bun:test'
import { coalesce } from '../../tui/data/coalesce.ts'

test('a page is read at once, then once for all that happens within a while, and after the last of it', async () => {
  const due: (() => void)[] = []
  const timers = { after: (_: number, run: () => void) => ({ cancel: () => {}, at: due.push(run) }) }
  const ended = new AbortController()
  let reads = 0
  const read = coalesce(timers, 300, async () => void reads++, ended.signal)
  const pass = async () => {
    await Promise.resolve()
    for (const run of due.splice(0)) run()
    await Promise.resolve()
  }
  read()
  expect(reads).toBe(1)
  for (let n = 0; n < 20; n++) read()
  expect(reads).toBe(1)
  await pass()
  expect(reads).toBe(2)
  await pass()
  expect(reads).toBe(2)
  read()
  expect(reads).toBe(3)
  read()
  ended.abort()
  await pass()
  read()
  expect(reads).toBe(3)
})
