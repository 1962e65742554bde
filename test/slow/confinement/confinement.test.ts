import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { BLOCKED, OPEN, UP_TO_MACHINE } from './sentences.ts'
import { type AttemptWorld, openWorld } from './world.ts'

/** A program of the same user, which is not root, tries to get out; world.ts makes what it aims at. */
let confined: Map<string, string>
let unconfined: Map<string, string>
const worlds: AttemptWorld[] = []

async function attempt(options: { confined: boolean }): Promise<Map<string, string>> {
  const world = await openWorld()
  worlds.push(world)
  return world.attempt(options)
}

beforeAll(async () => {
  confined = await attempt({ confined: true })
  unconfined = await attempt({ confined: false })
}, 120_000)
afterAll(async () => {
  for (const world of worlds) await world[Symbol.asyncDispose]()
})

const outcome = (outcomes: Map<string, string>, name: string) => outcomes.get(name)?.split(' ')[0]

describe.each(Object.entries(BLOCKED))('a confined program cannot %s', (_, attempts) => {
  test.each(Object.entries(attempts))('%s: it does not %s', (name) => {
    expect(outcome(confined, name)).toBe('blocked')
  })
})

describe('a confined program can still', () => {
  test.each(Object.entries(OPEN))('%s: %s', (name) => {
    expect(outcome(confined, name)).toBe('passed')
  })
})

describe('the attempts', () => {
  const all = Object.assign({}, ...Object.values(BLOCKED), OPEN)

  test('are all that the program makes', () => {
    expect([...confined.keys()].sort()).toEqual(Object.keys(all).sort())
  })

  test('succeed without confinement where nothing else prevents them', () => {
    const failed = Object.keys(all).filter((name) => !UP_TO_MACHINE.has(name))
    expect(failed.filter((name) => outcome(unconfined, name) !== 'passed')).toEqual([])
  })
})
