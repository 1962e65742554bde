import { expect, test } from 'bun:test'
import { asPrinted, asWritten, parseScript, printScript } from './script.ts'

const SCRIPT = `A script for a newcomer.

A pump is mended,
and then another one.

  $ gc bead create Pump |
  > cat
  Created to-1: Pump
  
  $ gc bead list
  to-1  * (glob)
  [1]

Nothing is left.

  $ gc bead list
`

const sections = parseScript(SCRIPT)
const mended = sections.find(({ steps }) => steps.length > 0) ?? { prose: [], steps: [] }

test('a script is read and printed without a change', () => {
  expect(printScript(sections)).toBe(SCRIPT)
  expect(mended.steps).toEqual([
    { command: ['gc bead create Pump |', 'cat'], expected: ['Created to-1: Pump', ''] },
    { command: ['gc bead list'], expected: ['to-1  * (glob)', '[1]'] },
  ])
})

test('printed lines that match stand as expected; others, missing and further ones stand as they are', () => {
  const expectedOf = (...printed: string[][]) => asPrinted(mended, printed).steps.map(({ expected }) => expected)
  expect(expectedOf(['Created to-1: Pump', ''], ['to-1  3s', '[1]'])).toEqual(mended.steps.map((each) => each.expected))
  expect(expectedOf(['Created to-2: Pump'], ['to-2  3s', '[1]', 'more'])).toEqual([
    ['Created to-2: Pump'],
    ['to-2  3s', '[1]', 'more'],
  ])
})

test('a written script matches any moment, age and folder', () => {
  const [step] = asWritten({ prose: [], steps: [{ command: ['gc'], expected: [] }] }, [
    ['sent  2026-01-31T09:00:00.123Z', 'to-1  12s  new', 'kept', '/tmp/gc-test-Ab12/town is up'],
  ]).steps
  expect(step?.expected).toEqual(['sent  * (glob)', 'to-1  *  new (glob)', 'kept', '*/town is up (glob)'])
})
