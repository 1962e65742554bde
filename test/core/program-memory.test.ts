import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { releaseProgramPages } from '../../src/core/program-memory.ts'

/** Kilobytes of this program's code that are mapped. */
function mappedCode(): number {
  const mappings = readFileSync('/proc/self/smaps', 'utf8').split(/^VmFlags:.*\n/m)
  const own = mappings.filter((mapping) => /^\S+ r-xp /.test(mapping) && mapping.includes(process.execPath))
  return own.reduce((sum, mapping) => sum + Number(/^Rss: +(\d+) kB$/m.exec(mapping)?.[1]), 0)
}

test.if(process.platform === 'linux')('code that was released is mapped again as it is used', () => {
  const answer = () => JSON.stringify(Array.from({ length: 100 }, (_, n) => new Date(n).toISOString().split('-')))
  const before = { code: mappedCode(), answer: answer() }
  releaseProgramPages()
  const after = mappedCode()
  expect(after).toBeGreaterThan(0)
  expect(after).toBeLessThan(before.code / 2)
  expect(answer()).toBe(before.answer)
})
