import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomFrom } from '../orchestration/model/random.ts'
import { runGc } from '../support/run-gc.ts'
import { SEED } from '../support/seed.ts'
import { TestCity, World } from '../support/world.ts'
import { type Round, RunWorld } from './run-world.ts'
import { freePort, up } from './town.ts'

let world: World
let runs: RunWorld
/** Outcome of undisturbed runs. */
let expected: Record<string, string[]>
let flags: string[]

beforeAll(async () => {
  flags = ['--port', await freePort()]
  world = await World.open(...flags)
  runs = await RunWorld.open(world, randomFrom(SEED))
  const twin = await runs.begin()
  await runs.workOn(twin)
  expected = await runs.pictureOf(twin)
  expect(Object.values(expected).map(([status]) => status)).toEqual([
    ...['run completed', 'run canceled', 'run completed', 'run completed'],
  ])
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

const gc = async (...args: string[]): Promise<string> => {
  const { status, out, err } = await runGc(world, ...args)
  expect({ status, err }).toEqual({ status: 0, err: '' })
  return out
}

test.each([
  [
    'unregistered, and registered again',
    async () => {
      await gc('unregister', 'mill')
      await gc('register', runs.city.path)
    },
  ],
  [
    'stopped, and started',
    async () => {
      await gc('stop', 'mill')
      await gc('start', 'mill')
    },
  ],
  [
    'ended with its supervisor, and opened by the next',
    async () => {
      await gc('down')
      await world.stop()
      await world.start(...flags)
      await up(runs.city)
    },
  ],
])(
  'runs whose city is %s end as undisturbed ones do',
  async (_, close) => {
    const round = await runs.begin()
    await runs.whenHanging()
    await close()
    await runs.workOn(round)
    expect(await runs.pictureOf(round)).toEqual(expected)
    await runs.noProcessIsLeft()
  },
  120_000,
)

/** A backup during which no run moved, and what it shows. */
async function backedUp(round: Round) {
  for (let n = 0; n < 10; n++) {
    const picture = await runs.pictureOf(round)
    const file = world.folder.at(`mill-${n}.tar.gz`)
    await gc('backup', file, '--city', 'mill')
    if (Bun.deepEquals(await runs.pictureOf(round), picture)) return { file, picture }
  }
  throw new Error('the runs did not come to rest')
}

test('runs continue in a city that is restored from a backup, once that is resumed, as they do where it was made', async () => {
  const round = await runs.begin()
  await runs.whenHanging()
  const { file, picture } = await backedUp(round)
  expect(picture.main).toContainEqual(expect.stringContaining(' open '))

  const copy = new TestCity(world, 'copy', world.folder.at('copy'))
  expect(await gc('restore', file, copy.path, '--name', 'copy')).toContain('City copy is up')
  expect((await copy.call(`GET ~/runs/${round.side}/progress`)).body.waits_for).toBe(
    'The check of step "Stuck" is not run while the city is suspended.',
  )
  const restored = await runs.movedTo(copy)
  expect(await restored.pictureOf(round)).toEqual(picture)

  await gc('resume', 'copy')
  for (const each of [restored, runs]) {
    await each.workOn(round)
    expect(await each.pictureOf(round)).toEqual(expected)
    await each.noProcessIsLeft()
  }
}, 120_000)
