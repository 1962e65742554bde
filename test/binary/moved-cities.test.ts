import { describe, expect, test } from 'bun:test'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { PROGRAM, World } from '../support/world.ts'

/** A supervisor with the city `town` in its folder, and the command line in any other. */
async function openWorld() {
  const world = await World.open()
  const { folder } = world
  const env = { PATH: process.env.PATH, HOME: folder.path, GC_HOME: world.home, GC_URL: world.url }
  const gc = async (cwd: string, ...words: string[]) => {
    const ran = Bun.spawn([...PROGRAM, ...words], { cwd, env, stdout: 'pipe', stderr: 'pipe' })
    const [out, err] = await Promise.all([ran.stdout.text(), ran.stderr.text()])
    return (out + err).replaceAll(folder.path, '@').trim()
  }
  const init = (name: string) => gc(folder.path, 'init', folder.at(name), '--command', 'true')
  expect(await init('town')).toStartWith('City town is up at @/town.')
  return { gc, init, folder, at: folder.at, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

describe('a city whose folder', () => {
  test('was moved while it runs is registered again after the command that the refusal names', async () => {
    await using it = await openWorld()
    const { gc, at } = it
    renameSync(at('town'), at('moved'))
    const refused =
      'gc: @/moved is the folder of city town, which runs and was moved from @/town; `gc unregister town` ends it there, then `gc register @/moved` starts it here'
    for (const verb of ['register', 'start', 'restart']) expect(await gc(at('moved'), verb)).toBe(refused)
    expect(await gc(at('moved'), 'register', '.', '--name', 'town')).toBe(refused)
    expect(await gc(at('moved'), 'stop')).toBe(
      'gc: there is no city here; town was at @/town, which is gone: `gc unregister town` ends it',
    )
    expect(await gc('/', 'cities')).toContain('@/town is gone; put it back, or `gc unregister town`')
    expect(await gc('/', 'cities')).not.toContain('moved')
    expect(await gc('/', 'unregister', 'town')).toBe(
      'City town is unregistered and its sessions have stopped; its folder @/town is gone.',
    )
    expect(await gc(at('moved'), 'register', '--name', 'town')).toBe('City town is up at @/moved.')
    expect(await gc('/', 'unregister', 'town')).toEndWith('; its folder is kept.')
  })

  test('is gone leads to unregister, also when a file is in its place or its name is wanted', async () => {
    await using it = await openWorld()
    const { gc, at, folder } = it
    rmSync(at('town'), { recursive: true })
    const gone = '@/town is gone; put it back, or `gc unregister town` removes the city from the list'
    expect(await gc('/', 'start', 'town')).toBe(`gc: ${gone}`)
    mkdirSync(at('other'))
    writeFileSync(at('other', 'city.toml'), '')
    expect(await gc(at('other'), 'register', '--name', 'town')).toBe(
      'gc: a city named town is registered at @/town, which is gone; `gc unregister town` frees the name',
    )
    expect(await gc('/', 'stop', 'town')).toStartWith('City town is stopped')
    writeFileSync(at('town'), '')
    expect(await gc('/', 'cities')).toContain('@/town is no longer a folder; put it back, or `gc unregister town`')
    expect(await gc('/', 'start', 'town')).toContain('`gc unregister town`')
    expect(await gc(folder.path, 'unregister', 'town')).toEndWith('; its folder @/town is gone.')
  })

  test('is reached through a link is one city, and not registered twice', async () => {
    await using it = await openWorld()
    const { gc, at } = it
    symlinkSync(at('town'), at('link'))
    const refused = 'gc: @/link is the folder of city town, which is registered at @/town'
    expect(await gc('/', 'register', at('link'))).toBe(refused)
    expect(await gc(at('link'), 'stop')).toStartWith('City town is stopped')
    expect(await gc('/', 'register', at('link'))).toBe(refused)
    expect(await gc(at('link'), 'start')).toBe('City town is up at @/town.')
  })
})

test('the folder of a rig leads to its city among several, also while that is stopped', async () => {
  await using it = await openWorld()
  const { gc, init, at } = it
  mkdirSync(at('shop', 'deep'), { recursive: true })
  mkdirSync(at('orphan'))
  expect(await gc(at('shop'), '--city', 'town', 'rig', 'add', '.')).toContain('Rig shop was added to town.')
  await init('other')
  expect(await gc(at('shop'), 'stop')).toStartWith('City town is stopped')
  expect(await gc(at('shop'), 'status')).toContain('town (it is stopped; `gc start town` starts it)')
  expect(await gc(at('shop', 'deep'), 'start')).toBe('City town is up at @/town.')
  expect(await gc(at('orphan'), 'start')).toStartWith('gc: which city? There are other, town;')
  await gc('/', 'stop', 'town')
  expect(await gc(at('shop'), 'restart')).toBe('City town is up at @/town.')
})
