import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDefaultMode } from '../../src/config/confinement/default-mode.ts'
import { up } from '../slow/town.ts'
import { unpackHome } from '../support/release-fixture.ts'
import { runGc } from '../support/run-gc.ts'
import { TestCity, World } from '../support/world.ts'

const RELEASE = '0.1.0'
const KEPT = 'agents of this home run unconfined, as they did before'

/** A home with cities that an older gc left, and what gc says of it. */
async function openOlder(decide: (home: string) => void = () => {}) {
  const world = await World.filled((folder) => {
    unpackHome(RELEASE, folder)
    decide(folder.at('home'))
  })
  const mill = new TestCity(world, 'mill', world.folder.at('user', 'mill'))
  await up(mill)
  return {
    world,
    supervisorToml: () => readFileSync(join(world.home, 'supervisor.toml'), 'utf8'),
    isOpen: async () => (await world.call('GET /v0/cities')).status === 200,
    saying: async () => {
      const said = await Promise.all([runGc(world, '--city', mill.path, 'status'), runGc(world, 'doctor')])
      return said.map(({ out }) => out.includes(KEPT))
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

test(`agents of a home that gc ${RELEASE} left run unconfined, which is said until a person decides`, async () => {
  await using older = await openOlder()
  const { world } = older
  expect(older.supervisorToml()).toBe('[confine]\ndefault = "off"\nkept_from_before = true\n')
  expect(world.log).toContain(KEPT)
  expect([await older.isOpen(), await older.saying()]).toEqual([true, [true, true]])

  expect((await runGc(world, 'confine', 'on')).status).toBe(0)
  expect(older.supervisorToml()).toBe('[confine]\ndefault = "default"\n')
  await world.kill()
  await world.start()
  expect([await older.isOpen(), await older.saying()]).toEqual([false, [false, false]])
}, 60_000)

test('earlier decisions about such a home stay unchanged', async () => {
  await using older = await openOlder((home) => writeDefaultMode(home, 'off'))
  expect(older.supervisorToml()).toBe('[confine]\ndefault = "off"\n')
  expect(older.world.log).not.toContain(KEPT)
  expect([await older.isOpen(), await older.saying()]).toEqual([true, [false, false]])
}, 60_000)
