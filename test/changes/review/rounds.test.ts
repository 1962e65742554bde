import { expect, test } from 'bun:test'
import { landingBatches, landingMembers, landings } from '../../../src/changes/landing/table.ts'
import { human } from '../../../src/http/guard.ts'
import { commit, git, reviewWorld } from './world.ts'

const listed = (world: Awaited<ReturnType<typeof reviewWorld>>) => world.city.changes.list({ limit: 10 }).items

test('the commits of a session are a change, which is ready when its bead is closed', async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  expect(listed(world)).toEqual([])
  const head = commit(worker.path, 'oil', 'oil\n')
  await world.city.snapshots.take(worker.id, 'activity')
  expect(listed(world)).toMatchObject([{ state: 'working', bead_id: worker.bead, files: 1, added: 1, removed: 0 }])
  expect(world.recorded()).toEqual([])
  await world.close(worker)
  const base = git(world.rig, 'rev-parse', 'main')
  const [change] = listed(world)
  expect(change).toMatchObject({
    state: 'ready',
    base,
    head,
    target: 'main',
    rig: 'shop',
    agent: 'shop/worker',
    round: 1,
  })
  expect(world.recorded()).toMatchObject([
    { type: 'change.ready', change_id: change?.id, bead_id: worker.bead, base, head },
  ])
  expect(world.city.attention.list().items.filter(({ kind }) => kind === 'review')).toMatchObject([
    {
      id: `review:${change?.id}`,
      to_do: `gc review show ${change?.id}`,
      asks: expect.stringContaining('1 file, +1 -0'),
    },
  ])
  expect(await world.city.changes.show(human, change?.id ?? '')).toMatchObject({
    commits: [{ id: head, subject: 'oil' }],
    rounds: [{ round: 1, base, head, ready_at: expect.any(String) }],
    cost: { attempts: 1, tokens: 0 },
  })
})

test('a session without commits leaves no change, and counts as an attempt at its bead', async () => {
  await using world = await reviewWorld()
  const first = await world.claimed()
  await world.end(first)
  expect(listed(world)).toEqual([])
  const second = await world.claimed('worker', first.bead)
  commit(second.path, 'oil', 'oil\n')
  await world.close(second)
  const [change] = listed(world)
  expect(change).toMatchObject({ session: second.id, bead_id: first.bead })
  expect((await world.city.changes.show(human, change?.id ?? '')).cost.attempts).toBe(2)
})

test('a session that ends with commits leaves a change that is ready, also when its worktree is removed', async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  const head = commit(worker.path, 'oil', 'oil\n')
  await world.end(worker)
  const [change] = listed(world)
  expect(change).toMatchObject({ state: 'ready', head, bead_id: worker.bead })
  await world.city.worktrees.remove(human, worker.id, true)
  git(world.rig, 'branch', '-D', change?.branch ?? '')
  git(world.rig, 'gc', '-q', '--prune=now')
  const { restore } = await world.city.changes.show(human, change?.id ?? '')
  expect(Bun.spawnSync(['sh', '-c', restore ?? 'false']).exitCode).toBe(0)
  expect(git(world.rig, 'rev-parse', `gc/restored/${change?.id}`)).toBe(head)
})

test('a second bead of a session begins where the first ended', async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  const first = commit(worker.path, 'oil', 'oil\n')
  await world.close(worker)
  const { id: bead } = await world.city.store.write((tx) =>
    world.city.beadRepository.add(tx, { title: 'grease', rig: 'shop' }),
  )
  await world.city.claims.claim(worker.caller, bead)
  const second = commit(worker.path, 'grease', 'grease\n')
  await world.close({ bead })
  expect(listed(world).map(({ bead_id, base, head }) => [bead_id, base, head])).toEqual([
    [bead, first, second],
    [worker.bead, git(world.rig, 'rev-parse', 'main'), first],
  ])
})

test('beads whose session claims further ones before gc has looked keep their own commits', async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  const { city } = world
  const beads = [worker.bead]
  const commits = [git(world.rig, 'rev-parse', 'main'), commit(worker.path, 'oil', 'oil\n')]
  for (const title of ['grease', 'wax']) {
    const [last = ''] = beads.slice(-1)
    const next = await city.store.write((tx) => city.beadRepository.add(tx, { title, rig: 'shop' }).id)
    const closed = city.store.write((tx) => void city.beadRepository.close(tx, last))
    await Promise.all([closed, city.claims.claim(worker.caller, next)])
    beads.push(next)
    commits.push(commit(worker.path, title, `${title}\n`))
  }
  await world.settle()
  await world.close({ bead: beads[2] ?? '' })
  const found = listed(world).map(({ bead_id, state, base, head }) => [bead_id, state, base, head])
  expect(found.reverse()).toEqual(beads.map((bead, at) => [bead, 'ready', commits[at], commits[at + 1]]))
})

test('a session without a worktree has a change against the commit at its claim', async () => {
  await using world = await reviewWorld()
  const clerk = await world.claimed('clerk')
  expect(clerk.path).toBe(world.rig)
  const base = git(world.rig, 'rev-parse', 'HEAD')
  git(world.rig, 'checkout', '-q', '-b', 'topic')
  const head = commit(world.rig, 'oil', 'oil\n')
  await world.close(clerk)
  expect(listed(world)).toMatchObject([{ state: 'ready', base, head, agent: 'shop/clerk', branch: 'main' }])
})

test('commits that are in the target already are not a change', async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  commit(worker.path, 'oil', 'oil\n')
  await world.city.worktrees.fetch(human, worker.id)
  git(world.rig, 'merge', '-q', `gc/${worker.bead}-worker-${worker.id}`)
  await world.close(worker)
  expect(listed(world)).toEqual([])
  expect(world.recorded()).toEqual([])
})

test('a decision is taken up again after a stop, and once', async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  commit(worker.path, 'oil', 'oil\n')
  await world.city.store.write((tx) => void world.city.beadRepository.close(tx, worker.bead))
  await world.reopen()
  await world.settle()
  expect(world.recorded().map(({ type }) => type)).toEqual(['change.ready'])
  await world.reopen()
  await world.settle()
  expect(world.recorded().map(({ type }) => type)).toEqual(['change.ready'])
})

test('commits after a person looked are a round of their own, and before that the same', async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  commit(worker.path, 'oil', 'oil\n')
  await world.close(worker)
  const { id } = listed(world)[0] ?? { id: '' }
  await world.city.store.write((tx) => void world.city.changeRows.update(tx, id, { checks: 'red' }))
  expect(listed(world)).toMatchObject([{ checks: 'red' }])
  const head = commit(worker.path, 'more', 'more\n')
  await world.city.snapshots.take(worker.id, 'activity')
  expect(listed(world)).toMatchObject([{ state: 'ready', round: 1, head, files: 2 }])
  expect(listed(world)[0]).not.toHaveProperty('checks')
})

test.each([
  ['green', 'green'],
  ['abandoned', 'none'],
])(
  'checks of a branch that ended before its commit was copied count for the change if they judged it: %s',
  async (outcome, checks) => {
    await using world = await reviewWorld()
    const worker = await world.claimed()
    commit(worker.path, 'oil', 'oil\n')
    await world.close(worker)
    const head = commit(worker.path, 'more', 'more\n')
    const branch = git(worker.path, 'rev-parse', '--abbrev-ref', 'HEAD')
    const at = { rig: 'shop', target: 'main' }
    await world.city.store.write((tx) => {
      const row = { ...at, id: 'ld-1', place: 1, state: 'held' as const, branch, head, beadClosed: true }
      tx.orm
        .insert(landings)
        .values({ ...row, submittedBy: 'worker', submittedAt: 1, updatedAt: 1 })
        .run()
      const batch = { ...at, id: 'lb-1', base: head, baseTree: '', state: 'done' as const, lo: 0, hi: 0, outcome }
      tx.orm
        .insert(landingBatches)
        .values({ ...batch, trial: true, createdAt: 1 })
        .run()
      const member = {
        batch: 'lb-1',
        position: 0,
        landing: 'ld-1',
        head,
        parent: '',
        candidate: '',
        tree: '',
        expected: '',
      }
      tx.orm.insert(landingMembers).values(member).run()
    })
    await world.city.snapshots.take(worker.id, 'activity')
    expect(listed(world).map((change): string => change.checks ?? 'none')).toEqual([checks])
    expect(listed(world)).toMatchObject([{ state: 'ready', head }])
  },
)

test('the commits of a decided change are dropped after 30 days', async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  const head = commit(worker.path, 'oil', 'oil\n')
  await world.close(worker)
  const [change] = listed(world)
  const refs = () =>
    git(`${world.path}/.gc/snapshots/shop.git`, 'for-each-ref', '--format=%(refname)', 'refs/gc/changes')
  expect(refs().split('\n')).toEqual([`refs/gc/changes/${change?.id}/1`, `refs/gc/changes/${change?.id}/1-base`])
  await world.city.store.write((tx) =>
    world.city.changes.landed(tx, change?.id ?? '', { commit: head, target: 'main' }),
  )
  await world.city.changeTracker.sweep()
  expect(refs()).not.toBe('')
  world.clock.step(31 * 24 * 3_600_000)
  await world.city.changeTracker.sweep()
  expect(refs()).toBe('')
  expect(world.city.changes.list({ limit: 10, state: 'landed' }).items).toMatchObject([{ landed_commit: head }])
})
