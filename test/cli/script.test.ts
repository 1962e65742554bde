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

test('`...` stands for any lines, also for none', () => {
  const [help] = parseScript('Help.\n\n  $ gc --help\n  Usage:\n  ...\n  [2]\n')
  if (!help) throw new Error('no section')
  for (const lines of [[], ['one'], ['one', 'two']])
    expect(asPrinted(help, [['Usage:', ...lines, '[2]']])).toEqual(help)
  expect(asPrinted(help, [['Use:', 'one', '[2]']]).steps[0]?.expected).toEqual(['Use:', '...', '[2]'])
  expect(asPrinted(help, [['Usage:', 'one', '[1]']]).steps[0]?.expected).toEqual(['Usage:', '...', '[1]'])
})

test('a written script matches any moment of today, age and folder', () => {
  const [step] = asWritten({ prose: [], steps: [{ command: ['gc'], expected: [] }] }, [
    [
      `sent  ${new Date().toISOString()}`,
      'to-1  12s  new',
      'not before  2030-01-31T09:00:00Z',
      '/tmp/gc-test-Ab12/town is up',
    ],
  ]).steps
  expect(step?.expected).toEqual([
    'sent  * (glob)',
    'to-1  * new (glob)',
    'not before  2030-01-31T09:00:00Z',
    '*/town is up (glob)',
  ])
})
