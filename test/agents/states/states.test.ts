import { expect, test } from 'bun:test'
import { homedir } from 'node:os'
import { isMissed, isWrong, type Judgement, judge, recordings } from './recording.ts'

/**
 * Output of real programs after each transition; `npm run test:programs -- <program>@<version> --record` records it.
 */
const RECORDINGS = recordings()
/** Maximum errors of all transitions other than missed questions. */
const MAX_OTHER_ERRORS = 0.005

test('the state of real programs is judged as their scripts know it to be, and no question is missed', async () => {
  const judged: Judgement[] = []
  for (const recording of RECORDINGS) {
    const title = `${recording.program}@${recording.version}`
    for (const judgement of await judge(recording)) judged.push({ ...judgement, name: `${title} ${judgement.name}` })
  }
  const named = (list: readonly Judgement[]) =>
    list.map(({ name, expected, seen, mistaken }) => `${name}: ${expected}, seen as ${mistaken ?? seen}`)
  expect(named(judged.filter(isMissed))).toEqual([])
  const wrong = judged.filter(isWrong)
  if (wrong.length >= judged.length * MAX_OTHER_ERRORS) expect(named(wrong)).toEqual([])
  expect(judged.length).toBeGreaterThanOrEqual(300)
})

test('the recordings name no machine, person or key', () => {
  const text = JSON.stringify(RECORDINGS)
  for (const own of [homedir(), '/root', '/Users/', '/work/wt', '/work/main', 'node_modules'])
    expect(text).not.toContain(own)
  expect(text.replaceAll(/gc-test-\w{6}\/home/g, '')).not.toContain('/home/')
  expect(text.match(/sk-[a-z]+-[\w-]{10,}/)).toBeNull()
})
