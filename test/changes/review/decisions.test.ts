import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { AppError } from '../../../src/core/errors.ts'
import { command } from '../../../src/core/store/index.ts'
import { human } from '../../../src/http/guard.ts'
import { until } from '../../support/until.ts'
import { commit, git, reviewWorld } from './world.ts'

const operator = { kind: 'operator' } as const
const ann = { kind: 'person', id: 1, person: 'ann', grants: ['review'] } as const

const errorOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error) => (error instanceof AppError ? `${error.code}: ${error.message}` : String(error)),
  )

test('a change is approved at the commit that was seen, once, by anyone who is first', async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  const { changes, reviews, snapshots } = world.city
  commit(worker.path, 'oil', 'oil\n')
  await snapshots.take(worker.id, 'activity')
  const [{ id } = { id: '' }] = changes.list({ limit: 1 }).items
  expect(await errorOf(reviews.approve(human, id, changes.find(id).head ?? ''))).toContain('still works on it')
  await world.close(worker)
  const seen = await reviews.look(human, id)
  world.clock.step(30_000)
  await reviews.look(ann, id)
  const head = commit(worker.path, 'more', 'more\n')
  await snapshots.take(worker.id, 'activity')
  expect(changes.find(id)).toMatchObject({ round: 2, head })
  const moved = await errorOf(reviews.approve(human, id, seen.head))
  expect(moved).toStartWith(`conflict-concurrent-modify: ${id} is at ${head} now`)
  world.clock.step(30_000)
  const before = world.city.log.head
  expect(await reviews.approve(ann, id, head)).toMatchObject({ state: 'approved', decided_by: 'ann' })
  expect(world.recorded(before)).toMatchObject([{ type: 'change.approved', person: 'ann', head, target: 'main' }])
  const late = await errorOf(reviews.approve(human, id, head))
  expect(late).toStartWith(`conflict-wrong-state: ${id} was approved by ann at 2026`)
  expect(await errorOf(reviews.ask(human, id, { text: 'x' }))).toContain('was approved by ann')
  expect(world.recorded(before)).toHaveLength(1)
  expect(reviews.reviewers().items).toEqual([{ person: 'ann', asked: 0, approved: 1, discarded: 0, seconds: 30 }])
})

test('a discarded change loses its worktree once that is stored, and nothing else', async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  const { changes, reviews, snapshots, worktrees } = world.city
  const head = commit(worker.path, 'oil', 'oil\n')
  await world.close(worker)
  await world.end(worker)
  await world.city.reconciler.settle()
  const [{ id, branch } = { id: '', branch: '' }] = changes.list({ limit: 1 }).items
  await Bun.write(`${worker.path}/draft`, 'half\n')
  expect(await reviews.discard(human, id, 'not needed')).toMatchObject({ state: 'discarded', reason: 'not needed' })
  await until(() => worktrees.list().total === 0)
  expect(existsSync(worker.path)).toBe(false)
  expect(git(world.rig, 'rev-parse', branch ?? '')).toBe(head)
  expect((await snapshots.list(worker.id)).items[0]).toMatchObject({ reason: 'removal' })
  expect((await changes.show(human, id)).restore).toContain(`refs/gc/changes/${id}/1:refs/heads/gc/restored/${id}`)
  expect(await errorOf(reviews.discard(operator, id, undefined))).toContain('was discarded by human')
})

test('a change that a person merged with git has landed once its worktree is removed, or at the next sweep', async () => {
  await using world = await reviewWorld()
  const { changes, reviews, worktrees, changeTracker } = world.city
  const [one, other] = [await world.claimed(), await world.claimed()]
  const heads = [commit(one.path, 'oil', 'oil\n'), commit(other.path, 'wax', 'wax\n')]
  for (const worker of [one, other]) {
    await world.close(worker)
    await world.end(worker)
  }
  const [first, second] = [one, other].map(({ bead }) => changes.list({ bead, limit: 1 }).items[0])
  await reviews.look(human, first?.id ?? '')
  await reviews.approve(human, first?.id ?? '', heads[0] ?? '')
  await changeTracker.sweep()
  expect(changes.find(first?.id ?? '').state).toBe('approved')
  git(world.rig, 'merge', '-q', first?.branch ?? '')
  const before = world.city.log.head
  await worktrees.sweep()
  await world.settle()
  expect(world.recorded(before)).toMatchObject([
    { type: 'change.landed', head: heads[0], commit: heads[0], target: 'main' },
  ])
  git(world.rig, 'merge', '-q', '-m', 'both', second?.branch ?? '')
  await changeTracker.sweep()
  const landed = world.recorded(before).map(({ type, head }) => [type, head])
  expect(landed).toEqual(heads.map((head) => ['change.landed', head]))
  await changeTracker.sweep()
  expect(world.recorded(before)).toHaveLength(2)
})

test('comments are refused on lines, files and commits that are not there', async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  const { changes, reviews } = world.city
  const name = 'a\u001b[31m "b"\n.txt'
  commit(worker.path, name, 'x\n')
  git(worker.path, 'rm', '-q', 'README')
  git(worker.path, 'commit', '-q', '-m', 'without')
  await world.close(worker)
  const [{ id } = { id: '' }] = changes.list({ limit: 1 }).items
  const refused = (draft: object) => errorOf(reviews.comment(human, id, { path: name, line: 1, text: 'x', ...draft }))
  expect(await refused({ line: 2 })).toContain('has 1 lines; there is no line 2')
  expect(await refused({ line: 3, end_line: 2 })).toContain('must not be before')
  expect(await refused({ path: 'README' })).toContain('there is no file README')
  expect(await refused({ path: '../../etc/passwd' })).toContain('there is no file')
  expect(await refused({ commit: '0'.repeat(40) })).toContain('is not a head of a round')
  expect(await reviews.comment(human, id, { path: name, line: 1, text: 'ok' })).toMatchObject({ quoted: 'x' })
  expect(await reviews.comment(human, id, { path: 'README', side: 'old', line: 1, text: 'why?' })).toMatchObject({
    quoted: 'hello',
  })
  for (let n = 0; n < 5; n++) await reviews.comment(human, id, { path: name, line: 1, text: 'x'.repeat(15_000) })
  expect(await errorOf(reviews.ask(human, id, {}))).toContain('64 KB fit into one turn')
  expect(changes.find(id).state).toBe('ready')
})

test('each decided change counts once in the totals of its agent, with the time of people and the cost of all attempts', async () => {
  await using world = await reviewWorld()
  const { changes, reviews, store, changeRows } = world.city
  const first = await world.claimed()
  const use = command<
    [key: string, at: number, session: string, tokens: number, cost: number]
  >(`INSERT INTO usage_facts (key, at, kind, session_id, worker, agent, rig, input, cost)
     VALUES (?, ?, 'model', ?, '', 'shop/worker', 'shop', ?, ?)`)
  const used = (session: string, key: string, tokens: number) =>
    store.write((tx) => tx.run(use, key, world.clock.now(), session, tokens, tokens / 1000))
  await used(first.id, 'a', 500)
  world.clock.step(1000)
  await world.end(first)
  const second = await world.claimed('worker', first.bead)
  commit(second.path, 'oil', 'oil\n')
  await used(second.id, 'b', 700)
  world.clock.step(1000)
  await world.close(second)
  const [{ id, head } = { id: '', head: '' }] = changes.list({ limit: 1 }).items
  await reviews.look(human, id)
  world.clock.step(20_000)
  await reviews.look(ann, id)
  await reviews.ask(human, id, { text: 'Say why.' })
  world.clock.step(10_000)
  await reviews.approve(ann, id, head)
  const landed = { commit: head, target: 'main' }
  for (let time = 0; time < 2; time++) await store.write((tx) => changes.landed(tx, id, landed))
  const total = { rig: 'shop', agent: 'shop/worker', approved: 1, landed: 1, discarded: 0 }
  expect(changeRows.totals([total, { rig: 'shop', agent: 'shop/clerk' }])).toEqual([
    { ...total, seconds: 30, tokens: 1200, cost: 1.2, unpriced: 0 },
    { ...total, agent: 'shop/clerk', approved: 0, landed: 0, seconds: 0, tokens: 0, cost: 0, unpriced: 0 },
  ])
  expect(reviews.reviewers().changes).toMatchObject([
    {
      ...{ id, state: 'landed', title: 'oil the mill', cost: { attempts: 2, tokens: 1200, cost_usd_estimate: 1.2 } },
      reviewers: [
        { person: 'ann', seconds: 10, decisions: ['approved'] },
        { person: 'human', seconds: 20, decisions: ['asked'] },
      ],
    },
  ])
})
