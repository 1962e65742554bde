import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'
import { declare, startSession } from './town.ts'

let world: World
let city: TestCity
let sound: string
beforeAll(async () => {
  world = await World.open()
  city = await world.city()
  await declare(city, 'sound', { script: 'echo well; exec sleep 600' })
  sound = (await startSession(city, 'sound')).id
}, 30_000)
afterAll(() => world[Symbol.asyncDispose]())

const screenOf = async (id: string): Promise<string> =>
  JSON.stringify((await city.call(`GET ~/session/${id}/transcript?format=conversation`)).body)

/** Starts a session whose program writes this and then clears its screen; its id once that is seen. */
async function afterWriting(name: string, command: string): Promise<string> {
  await declare(city, name, { script: `${command}; printf '\\033[2J\\033[Hdone'; exec sleep 600` })
  const { id } = await startSession(city, name)
  await eventually(
    `${name} is done`,
    25_000,
    () => screenOf(id),
    (text) => text.includes('done'),
  )
  return id
}

/** The memory of the session host in megabytes. */
async function hostMemory(): Promise<number> {
  const [{ pid }] = (await world.call('GET /v0/host')).body.items
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

describe('the terminals of other sessions are there while a program', () => {
  test.each([
    ['scrolls up by two thousand million lines', 'up', "printf '\\033[2147483647S'"],
    ['scrolls down by as many', 'down', "printf '\\033[2147483647T'"],
    ['inserts as many lines', 'inserts', "printf '\\033[2147483647L'"],
    ['removes as many lines', 'removes', "printf '\\033[2147483647M'"],
    ['goes on by as many tabs', 'tabs', "printf '\\033[2147483647I'"],
    ['goes back by as many tabs', 'back', "printf '\\302\\2332147483647Z'"],
    ['repeats a letter as often', 'repeats', "printf 'a\\033[2147483647b'"],
    ['hides the count behind control characters', 'hidden', "printf '\\033[21474\\n83\\177647;1S'"],
  ])('%s', async (_, name, command) => {
    await afterWriting(name, command)
    expect(await screenOf(sound)).toContain('well')
  })

  test.each([
    ['accents over one letter', 'accents', "printf a; yes \"$(printf '\\314\\201')\" | tr -d '\\n' | head -c 60000000"],
    ['links', 'links', "yes \"$(printf '\\r\\033]8;;http://x/\\007l')\" | tr -d '\\n' | head -c 12000000"],
  ])('writes millions of %s, which take no memory', async (_, name, command) => {
    const before = await hostMemory()
    await afterWriting(name, command)
    expect(await screenOf(sound)).toContain('well')
    expect((await hostMemory()) - before).toBeLessThan(250)
  })
})
