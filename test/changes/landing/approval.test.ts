import { describe, expect, test } from 'bun:test'
import { ChangeApproved } from '../../../src/changes/events.ts'
import { changes } from '../../../src/changes/review/table.ts'
import type { Caller } from '../../../src/http/caller.ts'
import { human } from '../../../src/http/guard.ts'
import { eventually, until } from '../../support/until.ts'
import { landingWorld } from './world.ts'

const EARLY = 'mode = "push"\ncheck = ["./test.sh"]\n'
const CHECKED = `${EARLY}check_early = false\n`

const session: Caller = {
  ...{ kind: 'session', city: 'town', session: 'mi-9', names: ['mi-9'], agent: 'worker' },
  ...{ declaredIn: 'city.toml', may: [] },
}

type World = Awaited<ReturnType<typeof landingWorld>>

/** Submission of a session. */
async function submitted(world: World, branch: string, files: Record<string, string>): Promise<string> {
  world.branch(branch, files)
  const { id } = await world.landings.submit(session, 'shop', { branch })
  await world.settle()
  return id
}

/** Approves a commit, as a review does. */
const approve = ({ city }: World, head: string, branch = 'work') =>
  city.store.write((tx) => {
    const place = { session: 'mi-9', agent: 'worker', rig: 'shop', folder: '/w', target: 'main', branch }
    const row = { ...place, id: 'ch-1', kind: 'worktree' as const, state: 'approved' as const, head }
    tx.orm
      .insert(changes)
      .values({ ...row, createdAt: 1, activeAt: 1 })
      .run()
    const said = { change_id: 'ch-1', agent: 'worker', rig: 'shop', round: 1, person: 'ann', head, target: 'main' }
    city.log.append(tx, ChangeApproved, { subject: 'ch-1' }, said)
  })

test('submissions of sessions wait for approval of their commit, those of people do not', async () => {
  await using world = await landingWorld({ land: CHECKED })
  const id = await submitted(world, 'work', { 'a.txt': 'a\n' })
  expect([world.state(id), world.checks]).toEqual(['held', 0])
  expect(world.reason(id)).toBe('it is not approved; approve its change, or release it')
  await approve(world, 'f'.repeat(40), 'other')
  await world.settle()
  expect(world.state(id)).toBe('held')
  await world.city.store.write((tx) => void tx.orm.delete(changes).run())
  const { head } = world.landings.show(id)
  const before = world.city.log.head
  await approve(world, head)
  await until(() => world.checks > 0)
  await world.settle()
  expect([world.state(id), world.main()[0]]).toEqual(['landed', 'work: a.txt'])
  expect(world.recorded(before)).toEqual(['submitted', 'queued', 'batched', 'checking', 'pushing', 'landed'])
  expect(world.city.changes.find('ch-1')).toMatchObject({ state: 'landed', checks: 'green' })
  const own = await world.send('mine', { 'b.txt': 'b\n' })
  await world.settle()
  expect(world.state(own)).toBe('landed')
})

test('the approval of a later commit submits that, and one of a commit that was given back does not', async () => {
  await using world = await landingWorld({ land: CHECKED })
  const id = await submitted(world, 'work', { 'broken.txt': 'a\n' })
  const { head: first } = world.landings.show(id)
  const later = world.branch('work', { 'broken.txt': 'b\n' }, first)
  await approve(world, later)
  await until(() => world.checks > 0)
  await world.settle()
  expect([world.state(id), world.landings.show(id).head]).toEqual(['red', later])
  expect(world.city.changes.find('ch-1')).toMatchObject({ checks: 'red' })
  world.branch('work', { 'broken.txt': 'c\n' }, later)
  await world.landings.submit(session, 'shop', { branch: 'work' })
  await world.settle()
  await world.reopen()
  await world.settle()
  expect(world.state(id)).toBe('held')
})

test.each([20, 60])('an approval that comes while a branch is being merged is not missed', async (ms) => {
  await using world = await landingWorld({ land: EARLY })
  world.branch('work', { 'a.txt': 'a\n' })
  const { id, head } = await world.landings.submit(session, 'shop', { branch: 'work' })
  await until(() => world.state(id) === 'queued')
  await Bun.sleep(ms)
  await approve(world, head)
  const landed = async () => {
    await world.settle()
    return world.recorded().filter((type) => type === 'held' || type === 'landed')
  }
  expect(
    (await eventually('it lands', 10_000, landed, (types) => types.includes('landed'))).length,
  ).toBeLessThanOrEqual(2)
})

test('an approval that came while no supervisor ran counts when one starts', async () => {
  await using world = await landingWorld({ land: CHECKED })
  const id = await submitted(world, 'work', { 'a.txt': 'a\n' })
  const { head } = world.landings.show(id)
  await world.city.store.write((tx) => {
    const place = { session: 'mi-9', agent: 'worker', rig: 'shop', folder: '/w', target: 'main' }
    const row = { ...place, id: 'ch-1', kind: 'worktree' as const, state: 'approved' as const, head }
    tx.orm
      .insert(changes)
      .values({ ...row, createdAt: 1, activeAt: 1 })
      .run()
  })
  await world.reopen()
  await until(() => world.checks > 0)
  await world.settle()
  expect(world.state(id)).toBe('landed')
})

test('the rules of a rig let small changes in some paths land without a person', async () => {
  const auto = 'auto = { check = "green", max_lines = 2, paths = ["docs/**"] }\n'
  await using world = await landingWorld({ land: CHECKED + auto })
  const small = await submitted(world, 'small', { 'docs/a.md': 'a\nb\n' })
  const large = await submitted(world, 'large', { 'docs/b.md': 'a\nb\nc\n' })
  const other = await submitted(world, 'other', { 'src.ts': 'a\n' })
  expect([world.state(small), world.state(large), world.state(other)]).toEqual(['landed', 'held', 'held'])
  expect(world.reason(large)).toBe('it changes 3 lines, and more than 2 wait for approval')
  expect(world.reason(other)).toBe('it changes files that wait for approval: src.ts')
})

describe('a change that waits for approval is checked while nothing else can land', () => {
  test('and lands without another check once it is approved', async () => {
    await using world = await landingWorld({ land: EARLY })
    const id = await submitted(world, 'work', { 'a.txt': 'a\n' })
    const { head } = world.landings.show(id)
    expect([world.state(id), world.checks]).toEqual(['held', 1])
    expect(world.recorded()).toEqual(['submitted', 'queued', 'held', 'checking', 'passed'])
    expect(world.landings.log(id).batches.map(({ outcome }) => outcome)).toEqual(['green'])
    expect(world.main()).toEqual(['base'])
    await world.reopen()
    await world.settle()
    const before = world.city.log.head
    await approve(world, head)
    await until(() => world.recorded(before).includes('landed'))
    expect([world.state(id), world.checks]).toEqual(['landed', 1])
    expect(world.recorded(before)).toEqual(['submitted', 'queued', 'batched', 'pushing', 'landed'])
  })

  test('and what fails goes back to its owner before a person has looked', async () => {
    await using world = await landingWorld({ land: EARLY })
    await approve(world, 'f'.repeat(40), 'other')
    const id = await submitted(world, 'work', { 'broken.txt': 'a\n' })
    expect(world.landings.show(id)).toMatchObject({ state: 'red', reason: 'fails the check' })
    expect(world.landings.show(id)).not.toHaveProperty('held_for')
    expect(world.recorded()).toEqual([
      'submitted',
      'queued',
      'held',
      'checking',
      'checking',
      'checking',
      'red',
      'undelivered',
    ])
    expect(world.landings.log(id).batches.map(({ outcome }) => outcome)).toEqual(['red'])
    world.branch('work', { 'fixed.txt': 'a\n' })
    await world.landings.submit(session, 'shop', { branch: 'work' })
    await world.settle()
    expect(world.state(id)).toBe('held')
  })

  test('unless something else is to land, which ends that check', async () => {
    await using world = await landingWorld({ land: EARLY, judge: () => 'runs' })
    const id = await submitted(world, 'work', { 'a.txt': 'a\n' })
    await until(() => world.checks === 1)
    const own = await world.send('mine', { 'b.txt': 'b\n' })
    await until(() => world.checks === 2)
    expect([world.state(id), world.state(own)]).toEqual(['held', 'in_batch'])
    world.judge = () => 0
    await world.settle()
    expect([world.state(id), world.state(own), world.checks]).toEqual(['held', 'landed', 3])
    expect(world.main()).toEqual(['mine: b.txt', 'base'])
  })

  test('also while what builds on it waits for it', async () => {
    await using world = await landingWorld({ land: EARLY, judge: () => 'runs' })
    const id = await submitted(world, 'work', { 'a.txt': 'a\n' })
    await until(() => world.checks === 1)
    const next = await world.send('next', { 'b.txt': 'b\n' }, world.landings.show(id).head)
    world.judge = () => 0
    await world.settle()
    expect([world.state(id), world.state(next)]).toEqual(['held', 'queued'])
    expect(world.reason(next)).toBe(`builds on ${id}, which has not landed yet`)
    const { checks } = world
    await world.landings.resume(human, 'shop')
    await world.settle()
    expect([world.checks, checks < 4]).toEqual([checks, true])
  })

  test('and the check of a target that fails on its own blames no one', async () => {
    await using world = await landingWorld({ land: EARLY, judge: () => 1 })
    const id = await submitted(world, 'work', { 'a.txt': 'a\n' })
    expect([world.state(id), world.landings.status('shop').standing]).toEqual(['held', undefined])
    const { checks } = world
    await world.landings.resume(human, 'shop')
    await world.settle()
    expect([world.state(id), world.checks]).toEqual(['held', checks])
  })
})
