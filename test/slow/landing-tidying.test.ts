import { describe, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { listKeptYards } from '../../src/changes/landing/gone-yards.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { human } from '../../src/http/guard.ts'
import { DeletedCities } from '../../src/supervisor/deleted-cities.ts'
import { env, git } from '../agents/worktrees/git.ts'
import { landingWorld } from '../changes/landing/world.ts'
import { yardWorld } from '../changes/yard/world.ts'
import { until } from '../support/until.ts'

const DAY_MS = 24 * 3_600_000
const DELETING = 'mode = "push"\ncheck = ["./test.sh"]\ndelete_branch = true\n'
const branches = (folder: string) => git(folder, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')

describe('delete_branch', () => {
  test('deletes a landed branch at the remote and in the rig, unless it has newer commits or is checked out', async () => {
    await using world = await landingWorld({ land: DELETING, judge: () => 'runs' })
    await world.pause()
    const ids: string[] = []
    for (const name of ['done', 'ahead', 'open']) {
      world.branch(name, { [name]: '1\n' })
      git(world.rig, 'push', '-q', 'origin', name)
      ids.push(await world.submit(name))
    }
    await world.resume()
    await world.settle()
    const head = git(world.rig, 'rev-parse', 'ahead')
    git(world.remote, 'update-ref', 'refs/heads/ahead', world.branch('ahead', { more: '1\n' }, head) && world.base)
    git(world.rig, 'worktree', 'add', '-q', world.town.folder.at('elsewhere'), 'open')
    const { head: start } = world.city.log
    world.judge = () => 0
    await world.settle()
    expect(ids.map(world.state)).toEqual(['landed', 'landed', 'landed'])
    expect([branches(world.remote), branches(world.rig)]).toEqual([
      ['ahead', 'main'],
      ['ahead', 'main', 'open'],
    ])
    expect([world.recorded(start), world.town.reports]).toEqual([['pushing', 'landed', 'landed', 'landed'], []])
    expect(world.landings.rows.branchesToDelete('shop')).toEqual([])
  })

  test('continues after a crash, and reports it where the remote keeps the branch', async () => {
    await using world = await landingWorld({ land: DELETING })
    world.hook('update', `case "$1 $3" in "refs/heads/x 00000000"*) exit 1;; esac`)
    world.branch('x', { x: '1\n' })
    git(world.rig, 'push', '-q', 'origin', 'x')
    const id = await world.submit('x')
    await world.settle()
    expect([world.state(id), world.landings.rows.branchesToDelete('shop').length]).toEqual(['landed', 1])
    await world.reopen()
    for (const minutes of [1, 2, 4, 8]) {
      await world.clock.advance(minutes * 60_000)
      await world.settle()
    }
    expect([branches(world.remote), world.reason(id)]).toEqual([
      ['main', 'x'],
      'its branch x was not deleted: origin does not delete it',
    ])
    world.unhook()
    world.branch('y', { y: '1\n' })
    git(world.rig, 'push', '-q', 'origin', 'y')
    await world.submit('y')
    await world.settle()
    expect(branches(world.remote)).toEqual(['main', 'x'])
  })
})

describe('a yard', () => {
  test('keeps the commits of a landing for 30 days after it is over, and no refs of its batch', async () => {
    await using world = await landingWorld()
    await world.pause()
    const [landed, open] = [await world.send('a', { a: '1\n' }), await world.send('b', { b: '1\n' })]
    await world.settle()
    await world.landings.change(human, 'hold', open)
    await world.resume()
    await world.settle()
    const refs = () => git(world.yard ?? '', 'for-each-ref', '--format=%(refname)', 'refs/gc').split('\n')
    // The refs of the batch go after its end was recorded.
    await until(() => !refs().some((ref) => ref.startsWith('refs/gc/train/')))
    expect(refs()).toEqual(['refs/gc/base/main', `refs/gc/land/${landed}/1`, `refs/gc/land/${open}/1`].sort())
    git(world.yard ?? '', 'update-ref', 'refs/gc/train/lb-gone/0', world.base)
    world.clock.stop(31 * 24 * 3_600_000)
    await world.resume()
    await world.settle()
    expect(refs()).toEqual(['refs/gc/base/main', `refs/gc/land/${open}/1`])
  })

  test('keeps what a target had before it was set back while something is lost, and for 30 days', async () => {
    await using world = await landingWorld()
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    const landed = git(world.remote, 'rev-parse', 'main')
    git(world.remote, 'update-ref', 'refs/heads/main', world.base)
    await world.send('b', { b: '1\n' })
    await world.settle()
    const month = async () => {
      world.clock.stop(31 * 24 * 3_600_000)
      await world.resume()
      await world.settle()
      return git(world.yard ?? '', 'for-each-ref', '--format=%(objectname)', 'refs/gc/rewound')
    }
    expect([world.state(id), await month()]).toEqual(['lost', landed])
    await world.landings.change(human, 'cancel', id)
    expect(await month()).toBe('')
  })

  test('goes 30 days after the last landing of a rig that is gone, and is made again if that comes back', async () => {
    await using world = await landingWorld()
    const folders = () => readdirSync(join(world.town.hosts.home, 'land'))
    const [landed, held] = [await world.send('a', { a: '1\n' }), await world.send('b', { b: '1\n' })]
    await world.landings.change(human, 'hold', held)
    await world.settle()
    expect([world.state(landed), folders().length]).toEqual(['landed', 3])
    world.town.declare('')
    await world.city.config.reload()
    const days = async (n: number) => {
      world.clock.stop(n * 24 * 3_600_000)
      await world.landings.whenIdle()
      await world.landings.sweep()
    }
    await days(31)
    expect(folders().length).toBe(3)
    await world.landings.change(human, 'cancel', held)
    await days(29)
    expect(folders().length).toBe(3)
    await days(2)
    expect(folders()).toEqual([])
    world.declare('mode = "push"\ncheck = ["./test.sh"]\n')
    await world.city.config.reload()
    const later = await world.send('c', { c: '1\n' })
    await world.settle()
    expect([world.state(later), world.main(), world.town.reports]).toEqual(['landed', ['c: c', 'a: a', 'base'], []])
  })

  test('of a deleted city goes after 30 days, and stays while it has a commit that did not land', async () => {
    await using world = await landingWorld()
    const { home } = world.town.hosts
    await world.send('landed', { a: '1\n' })
    const contained = world.branch('contained', { a: '1\n', b: '1\n' })
    world.branch('other', { c: '1\n' })
    await world.settle()
    const id = await world.submit('other')
    await world.landings.change(human, 'hold', id)
    await world.settle()
    const yard = world.yard ?? ''
    git(yard, 'fetch', '-q', world.rig, `${contained}:refs/gc/land/ld-1/1`)
    git(yard, 'update-ref', 'refs/gc/base/more', contained)
    const { path } = world.city.config.current
    await world.city.close({ endSessions: false })
    const registered = new Set([path])
    const deadlines = new Deadlines(world.clock, world.clock)
    const reports: string[] = []
    const cities = { list: () => [...registered].map((each) => ({ path: each })) }
    const left = new DeletedCities({
      ...{ home, env, cities, deadlines, clock: world.clock },
      report: (message) => reports.push(message),
    })
    const after = async (days: number) => {
      world.clock.stop(days * DAY_MS)
      await left.sweep()
      return readdirSync(join(home, 'land')).length > 0
    }
    rmSync(path, { recursive: true })
    expect([await after(31), listKeptYards(home)]).toEqual([true, []])
    registered.clear()
    const ref = `refs/gc/land/${id}/1`
    expect([await after(0), listKeptYards(home)]).toEqual([
      true,
      [{ path: yard, city: path, rig: 'shop', unlanded: [ref] }],
    ])
    expect(await after(31)).toBe(true)
    git(yard, 'update-ref', '-d', ref)
    registered.add(path)
    await after(0)
    registered.clear()
    expect([await after(0), await after(29), await after(2), reports]).toEqual([true, true, false, []])
    deadlines.close()
  })

  test('keeps what another city, or the time since a backup, submitted and did not land', async () => {
    await using world = await landingWorld()
    await world.send('a', { a: '1\n' })
    await world.settle()
    const yard = world.yard ?? ''
    const [landed, other] = [git(world.rig, 'rev-parse', 'a'), world.branch('b', { b: '1\n' })]
    git(yard, 'fetch', '-q', world.rig, `${other}:refs/gc/land/ld-2/1`, `${landed}:refs/gc/land/ld-3/1`)
    await world.reopen()
    await world.send('c', { c: '1\n' })
    await world.settle()
    const refs = git(yard, 'for-each-ref', '--format=%(refname)', 'refs/gc/land/ld-2', 'refs/gc/land/ld-3')
    expect(refs).toBe('refs/gc/land/ld-2/1')
  })

  test('that is gone is made anew: what was checked or pushed is merged again, and a push of it stays open', async () => {
    await using world = await landingWorld({ judge: () => 'runs' })
    const lose = async () => {
      await world.city.close({ endSessions: false })
      rmSync(join(world.town.hosts.home, 'land'), { recursive: true })
      await world.reopen()
      await world.settle()
    }
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    expect(world.state(id)).toBe('in_batch')
    await lose()
    world.hook('update', 'exit 1')
    world.judge = () => 0
    await world.settle()
    expect([world.state(id), world.landings.rows.openPushes('shop').length]).toEqual(['in_batch', 1])
    await lose()
    expect([world.state(id), world.landings.rows.openPushes('shop').length]).toEqual(['in_batch', 2])
    world.unhook()
    await world.clock.advance(61_000)
    await world.settle()
    expect([world.state(id), world.main(), world.landings.rows.openPushes('shop')]).toEqual([
      'landed',
      ['a: a', 'base'],
      [],
    ])
    expect(world.town.reports).toEqual([])
  })

  test('packs what came in pieces, and drops what nothing needs once it has doubled', async () => {
    await using world = await yardWorld()
    const kept = await world.branch('x', world.base, { 'x.txt': 'x\n' })
    await world.yard.pin({ 'refs/gc/land/ld-1/1': kept })
    const dropped = await world.branch('y', world.base, { 'y.txt': 'y\n' })
    const packs = () =>
      readdirSync(join(world.yard.path, 'objects/pack')).filter((name) => name.endsWith('.pack')).length
    await world.yard.collect()
    expect(packs()).toBe(2)
    git(world.yard.path, 'config', 'gc.pruneExpire', 'now')
    await world.yard.collect({ loose: 1, packs: 2 })
    expect(packs()).toBe(1)
    await world.branch('z', world.base, { 'z.txt': 'z\n' })
    await world.yard.collect({ loose: 1, packs: 2 })
    expect([packs(), await world.yard.has(kept), await world.yard.has(dropped)]).toEqual([1, true, true])
    git(world.yard.path, 'fsck', '--strict')
  })
})
