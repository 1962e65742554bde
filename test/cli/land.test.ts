import { beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Landing } from '../../src/changes/landing/index.ts'
import type { LandStatus } from '../../src/changes/landing/schema.ts'
import { git } from '../agents/worktrees/git.ts'
import { eventually } from '../support/until.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

/** Adds a branch of one commit to the rig. */
function branch(name: string): void {
  git(town.rig, 'checkout', '-q', '-b', name, 'main')
  writeFileSync(join(town.rig, name), 'x\n')
  git(town.rig, 'add', '-A')
  git(town.rig, 'commit', '-q', '-m', name)
  git(town.rig, 'checkout', '-q', 'main')
}

describe('gc land', () => {
  beforeAll(async () => {
    git(town.rig, 'init', '-q', '-b', 'main')
    writeFileSync(join(town.rig, 'base'), 'x\n')
    git(town.rig, 'add', '-A')
    git(town.rig, 'commit', '-q', '-m', 'base')
    git(town.rig, 'init', '-q', '--bare', town.at('remote.git'))
    git(town.rig, 'remote', 'add', 'origin', town.at('remote.git'))
    git(town.rig, 'push', '-q', 'origin', 'main')
    await town.gc(['rig', 'land', 'shop', '--mode', 'push', '--check', 'test -e a'])
  })

  test('submits branches, shows the queue, and changes what is in it', async () => {
    expect((await town.gc(['land', 'pause', 'shop'])).out).toContain('paused')
    const submit = async (name: string) => {
      branch(name)
      return (await town.json<Landing>(['land', 'submit', '--rig', 'shop', '--branch', name])).id
    }
    const [a, b] = [await submit('a'), await submit('b')]
    const printed = async (...words: string[]) => (await town.gc(['land', ...words])).out
    expect(await printed('hold', a, '--reason', 'not yet')).toContain(`${a}: held (a at `)
    expect(await printed('status', 'shop')).toMatch(new RegExp(`${a} +held .*a .*not yet`))
    expect(await printed('cancel', b)).toContain(`${b}: cancelled`)
    expect(await town.gc(['land', 'release', b])).toMatchObject({
      status: 1,
      err: expect.stringContaining('is cancelled'),
    })
    expect(await printed('release', a)).toContain(`${a}: submitted`)
    await printed('resume', 'shop')
    const shown = () => printed('show', a)
    const landed = await eventually('it has landed', 20_000, shown, (text) => text.includes('landed as'))
    const head = git(town.at('remote.git'), 'rev-parse', 'main')
    expect(landed).toContain(`landed as ${head}`)
    expect(await printed('log', a)).toContain(`${head.slice(0, 12)} green`)
    const { queue } = await town.json<LandStatus>(['land', 'status', 'shop'])
    expect(queue).toEqual([])
  })

  test('gives up a branch that failed, and retries it', async () => {
    git(town.rig, 'checkout', '-q', 'main')
    git(town.rig, 'pull', '-q', 'origin', 'main')
    git(town.rig, 'checkout', '-q', '-b', 'breaks')
    git(town.rig, 'rm', '-q', 'a')
    git(town.rig, 'commit', '-q', '-m', 'breaks')
    git(town.rig, 'checkout', '-q', 'main')
    const { id } = await town.json<Landing>(['land', 'submit', '--rig', 'shop', '--branch', 'breaks'])
    const shown = async () => (await town.gc(['land', 'show', id])).out
    const failed = (text: string) => text.includes(`${id}: red`)
    await eventually('it failed', 20_000, shown, failed)
    await town.gc(['land', 'retry', id])
    await eventually('it failed again', 20_000, shown, failed)
    expect((await town.gc(['land', 'give-up', id, '--reason', 'wrong'])).out).toContain(`${id}: given up`)
    expect(await shown()).toContain('wrong')
    expect(git(town.at('remote.git'), 'log', '--format=%s', 'main').split('\n')).toEqual(['a', 'base'])
  })

  test('says what is missing', async () => {
    expect(await town.gc(['land', 'submit', '--rig', 'shop'])).toMatchObject({
      status: 2,
      err: expect.stringContaining('--session or --branch'),
    })
    expect(await town.gc(['land', 'show', 'ld-none'])).toMatchObject({
      status: 1,
      err: expect.stringContaining('there is no landing ld-none; see gc land status'),
    })
  })
})
