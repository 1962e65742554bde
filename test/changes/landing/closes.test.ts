import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { human } from '../../../src/http/guard.ts'
import { git } from '../../agents/worktrees/git.ts'
import { until } from '../../support/until.ts'
import { AUTO, commit, workersWorld } from './workers.ts'

type World = Awaited<ReturnType<typeof workersWorld>>

const landingsOf = (world: World, bead: string) =>
  world.landings.rows.ofBead(bead).map(({ state, head, session }) => ({ state, head, session }))

const since = (world: World, head: number) =>
  world.city.log
    .after(head, 100)
    .map(({ type }) => type)
    .filter((type) => /^(?:bead\.(?:closed|updated)|land)/.test(type))

test('closing a bead submits what its session committed in the same write, and dependents start from that until it landed', async () => {
  await using world = await workersWorld()
  const { city } = world
  const worker = await world.claimed()
  const head = commit(worker.path, { 'a.txt': 'a\n' })
  await world.pause()
  const routed = { 'gc.routed_to': 'shop/worker' }
  const add = (needs: string[]) =>
    city.store.write((tx) => city.beadRepository.add(tx, { title: 'next', rig: 'shop', metadata: routed, needs }).id)
  const next = await add([worker.bead])
  const before = city.log.head
  await city.beads.close(worker.caller, worker.bead)
  expect(since(world, before).slice(0, 2).sort()).toEqual(['bead.closed', 'land.submitted'])
  expect(landingsOf(world, worker.bead)).toEqual([{ state: 'submitted', head, session: worker.id }])
  await world.settle()
  await world.end(worker)
  const dependent = await world.claimed(next)
  expect(git(dependent.path, 'rev-parse', 'HEAD')).toBe(head)
  const later = commit(dependent.path, { 'b.txt': 'b\n' })
  await city.beads.close(dependent.caller, next)
  await world.resume()
  await world.settle()
  expect(landingsOf(world, next)).toEqual([{ state: 'landed', head: later, session: dependent.id }])
  expect(world.main()).toEqual(['b.txt', 'a.txt', 'base'])
  expect(city.beadRepository.get(worker.bead).metadata?.merged_sha).toBe(git(world.remote, 'rev-parse', 'main~1'))
  await world.end(dependent)
  const last = await world.claimed(await add([next]))
  expect(git(last.path, 'rev-parse', 'HEAD')).toBe(git(world.remote, 'rev-parse', 'main'))
  expect(git(world.rig, 'rev-parse', 'main', 'origin/main').split('\n')).toEqual([
    world.base,
    git(world.remote, 'rev-parse', 'main'),
  ])
})

test('a close with uncommitted files goes through, and its landing is held with the reason while a snapshot keeps them', async () => {
  await using world = await workersWorld()
  const { city } = world
  const worker = await world.claimed()
  commit(worker.path, { 'a.txt': 'a\n' })
  writeFileSync(join(worker.path, 'b.txt'), 'b\n')
  const before = city.log.head
  await city.beads.close(worker.caller, worker.bead)
  await world.settle()
  const [row] = world.landings.rows.ofBead(worker.bead)
  expect(city.beadRepository.get(worker.bead).status).toBe('closed')
  expect([row?.state, row?.reason]).toEqual([
    'held',
    `1 file was changed and not committed in the worktree of ${worker.id} when its bead was closed; a snapshot has them`,
  ])
  expect((await city.snapshots.list(worker.id)).total).toBe(1)
  expect(since(world, before).sort()).toEqual(['bead.closed', 'land.held', 'land.submitted'])
  await world.landings.change(human, 'release', row?.id ?? '')
  await world.settle()
  expect(world.main()).toEqual(['a.txt', 'base'])
})

test('files that a session changed for its next bead hold nothing, and those that it left before do', async () => {
  await using world = await workersWorld()
  const { city } = world
  const worker = await world.claimed()
  const another = async (file: string) => {
    const [row] = world.landings.rows.ofBead(worker.bead)
    const { id } = await city.store.write((tx) => city.beadRepository.add(tx, { title: 'more', rig: 'shop' }))
    await city.claims.claim(worker.caller, id)
    writeFileSync(join(worker.path, file), 'x\n')
    return row?.id ?? ''
  }
  commit(worker.path, { 'a.txt': 'a\n' })
  await city.beads.close(worker.caller, worker.bead)
  const first = await another('next.txt')
  await world.settle()
  expect(world.state(first)).toBe('landed')
  // Whatever is changed now was so before, by the clock of the city.
  world.clock.step(30 * 366 * 24 * 3_600_000)
  commit(worker.path, { 'b.txt': 'b\n' })
  writeFileSync(join(worker.path, 'left.txt'), 'x\n')
  const [claim] = city.claims.list(worker.id).items
  await city.beads.close(worker.caller, claim?.bead_id ?? '')
  await another('later.txt')
  await world.settle()
  const [second] = world.landings.rows.ofBead(claim?.bead_id ?? '')
  expect(second?.reason).toContain(`2 files were changed and not committed in the worktree of ${worker.id}`)
})

test('nothing is submitted by a close that failed, that is of another, without commits, or in a rig that lands nothing', async () => {
  await using world = await workersWorld()
  const { city } = world
  const worker = await world.claimed()
  const again = async (): Promise<string> => {
    const { id } = await city.store.write((tx) => city.beadRepository.add(tx, { title: 'more', rig: 'shop' }))
    await city.claims.claim(worker.caller, id)
    return id
  }
  const before = city.log.head
  commit(worker.path, { 'a.txt': 'a\n' })
  await city.beads.update(worker.caller, worker.bead, { metadata: { 'gc.outcome': 'fail' } })
  await city.beads.close(worker.caller, worker.bead)
  await city.beads.close(worker.caller, await again())
  const taken = await again()
  commit(worker.path, { 'b.txt': 'b\n' })
  await city.beads.close(human, taken)
  world.declare('mode = "off"\n')
  await city.config.reload()
  const off = await again()
  commit(worker.path, { 'c.txt': 'c\n' })
  await city.beads.close(worker.caller, off)
  await world.settle()
  expect(since(world, before).filter((type) => type.startsWith('land'))).toEqual([])
  expect(world.landings.list({}).items).toEqual([])
})

test('in a run, the close that completes it submits the work of its steps', async () => {
  await using world = await workersWorld(AUTO)
  const { city } = world
  const root = await city.store.write(
    (tx) => city.beadRepository.add(tx, { title: 'run', rig: 'shop', type: 'molecule', metadata: {} }).id,
  )
  await city.reactions.whenIdle()
  const step = await city.store.write(
    (tx) =>
      city.beadRepository.add(tx, {
        ...{ title: 'step', rig: 'shop', parent: root },
        metadata: { 'gc.routed_to': 'shop/worker' },
      }).id,
  )
  const worker = await world.claimed(step)
  const head = commit(worker.path, { 'a.txt': 'a\n' })
  await world.pause()
  const before = city.log.head
  await city.beads.close(worker.caller, step)
  expect(landingsOf(world, step)).toEqual([])
  await city.reactions.whenIdle()
  if (city.beadRepository.get(root).status !== 'closed') await city.beads.close(human, root)
  expect(landingsOf(world, root)).toEqual([{ state: 'submitted', head, session: worker.id }])
  expect(
    since(world, before)
      .filter((type) => type !== 'bead.updated')
      .sort(),
  ).toEqual([...['bead.closed', 'bead.closed', 'land.submitted']])
})

test('another bead of the same worktree is another landing behind the first, which a resubmission leaves alone', async () => {
  await using world = await workersWorld()
  const { city } = world
  await world.pause()
  const worker = await world.claimed()
  commit(worker.path, { 'a.txt': 'a\n' })
  await city.beads.close(worker.caller, worker.bead)
  const second = await city.store.write((tx) => city.beadRepository.add(tx, { title: 'second', rig: 'shop' }).id)
  await city.claims.claim(worker.caller, second)
  commit(worker.path, { 'b.txt': 'b\n' })
  await city.beads.close(worker.caller, second)
  await world.resume()
  await world.settle()
  expect([worker.bead, second].flatMap((bead) => landingsOf(world, bead).map(({ state }) => state))).toEqual([
    'landed',
    'landed',
  ])
  expect(world.main()).toEqual(['b.txt', 'a.txt', 'base'])
})

/** What asks a person about a branch: the kind, the sentence and the command of each row. */
const asked = ({ city }: World) =>
  city.attention
    .list()
    .items.filter(({ kind }) => ['review', 'landing', 'worktree'].includes(kind))
    .map(({ kind, asks, to_do }) => ({ kind, asks, to_do }))

async function closed(world: World, files: Record<string, string>) {
  const worker = await world.claimed()
  commit(worker.path, files)
  await world.city.beads.close(worker.caller, worker.bead)
  await world.city.reactions.whenIdle()
  await world.city.changeTracker.whenIdle()
  await world.settle()
  await world.city.attention.whenIdle()
  const [landing] = world.landings.rows.ofBead(worker.bead)
  const [change] = world.city.changes.ofBead(worker.bead)
  if (!landing || !change) throw new Error('nothing was submitted')
  return { worker, landing, change }
}

test('a branch asks a person once: its review where that decides, and else its landing', async () => {
  await using world = await workersWorld(AUTO.replace('200', '2'))
  const { city } = world
  const { change, landing, worker } = await closed(world, { 'a.txt': '1\n2\n3\n' })
  await world.end(worker)
  await city.worktrees.sweep()
  await city.attention.whenIdle()
  expect(city.worktrees.list().items).toMatchObject([{ kept: '1 commit is neither merged nor pushed' }])
  expect(landing).toMatchObject({ state: 'held', heldFor: 'approval' })
  expect(asked(world)).toEqual([
    {
      kind: 'review',
      asks: `Branch ${landing.branch} against main waits for review: 1 file, +3 -0. It lands once it is approved: it changes 3 lines, and more than 2 wait for approval.`,
      to_do: `gc review show ${change.id}, then gc review approve ${change.id}`,
    },
  ])
  const before = city.log.head
  await city.reviews.approve(human, change.id, landing.head)
  expect(asked(world)).toEqual([])
  await until(() => since(world, before).includes('bead.updated'))
  expect(asked(world)).toEqual([])
  expect(since(world, before)).toEqual([
    ...['land.submitted', 'land.queued', 'land.batched', 'land.pushing', 'land.landed'],
    'bead.updated',
  ])
})

test('the check of a branch that waits for review follows its later commits', async () => {
  await using world = await workersWorld(AUTO.replace('200', '2'))
  const { worker, landing } = await closed(world, { 'a.txt': '1\n2\n3\n' })
  const before = world.city.log.head
  const head = commit(worker.path, { 'b.txt': '4\n' })
  await world.city.snapshots.take(worker.id, 'activity')
  await until(() => since(world, before).includes('land.submitted'))
  await world.settle()
  await until(() => since(world, before).includes('land.passed'))
  expect(world.landings.show(landing.id)).toMatchObject({ state: 'held', head, held_for: 'approval' })
  expect(world.city.changes.ofBead(worker.bead)).toMatchObject([{ state: 'ready', checks: 'green', head }])
  expect(since(world, before)).toEqual(['land.submitted', 'land.queued', 'land.held', 'land.checking', 'land.passed'])
})

test('a branch that fails the check goes back to its owner, and no person is to review it', async () => {
  await using world = await workersWorld(AUTO.replace('200', '2'))
  const { change, landing } = await closed(world, { broken: '1\n2\n3\n' })
  expect(landing).toMatchObject({ state: 'red', heldFor: '' })
  expect(change).toMatchObject({ state: 'asked', checks: 'red' })
  expect(asked(world)).toEqual([])
})

test('releasing a branch needs no separate approval', async () => {
  await using world = await workersWorld('mode = "push"\n')
  const worker = await world.claimed()
  commit(worker.path, { 'a.txt': 'a\n' })
  writeFileSync(join(worker.path, 'b.txt'), 'b\n')
  await world.city.beads.close(worker.caller, worker.bead)
  await world.settle()
  const [row] = world.landings.rows.ofBead(worker.bead)
  expect(row?.heldFor).toBe('unsaved')
  const before = world.city.log.head
  await world.landings.change(human, 'release', row?.id ?? '')
  await world.settle()
  const events = world.recorded(before)
  expect(events).toEqual(['submitted', 'queued', 'batched', 'pushing', 'landed'])
})

test('a guard asks for the landing alone, and what lands without a person asks no one', async () => {
  await using world = await workersWorld()
  const { landing } = await closed(world, { '.gitattributes': '* text\n' })
  expect(asked(world)).toMatchObject([{ kind: 'landing', asks: expect.stringContaining('it changes protected files') }])
  await world.landings.change(human, 'release', landing.id)
  world.judge = () => 'runs'
  await world.settle()
  expect([world.state(landing.id), asked(world)]).toEqual(['in_batch', []])
})

test('a change that is discarded does not land', async () => {
  await using world = await workersWorld('mode = "push"\n')
  const { change, landing } = await closed(world, { 'a.txt': 'a\n' })
  const before = world.city.log.head
  await world.city.reviews.discard(human, change.id, 'not wanted')
  await world.city.reactions.whenIdle()
  await world.settle()
  expect(world.landings.show(landing.id)).toMatchObject({ state: 'cancelled', reason: 'its change was discarded' })
  expect([since(world, before), asked(world)]).toEqual([['land.cancelled'], []])
})
