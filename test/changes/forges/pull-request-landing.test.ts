import { describe, expect, test } from 'bun:test'
import { commitFiles, git } from '../../support/forge.ts'
import { HEAD, landedOn, Yard } from './yard.ts'

describe.each(['github', 'gitea'] as const)('a landing by pull request at %s', (dialect) => {
  test('opens one, waits for checks and approvals, and merges what was checked', async () => {
    using yard = new Yard(dialect, { labels: ['gc'] })
    Object.assign(yard.server.rules, { requiredChecks: ['ci'], approvals: 1 })
    await yard.run(/waiting for checks: ci/)
    yard.server.report(yard.sha, 'ci', 'green')
    await yard.run(/waiting for 1 more approval/)
    yard.server.pulls.get(1)?.reviews.push({ user: 'ann', state: 'APPROVED' })
    expect(await yard.run()).toEqual({ kind: 'landed', commit: yard.server.tip() })
    expect(landedOn(yard)).toEqual({ commits: 1, files: 'a' })
    expect(yard.server.pulls.get(1)).toMatchObject({ head: HEAD, title: 'Oil the hinge' })
    expect(yard.server.pulls.get(1)?.labels).toHaveLength(1)
    expect(yard.rows.filter(({ state }) => state === 'pr_merging').map(({ reason }) => reason)).toEqual([undefined])
    expect(new Set(yard.rows.map(({ state }) => state))).toEqual(new Set(['pr_open', 'pr_waiting', 'pr_merging']))
    if (dialect === 'gitea') expect(yard.server.tip()).toBe(yard.sha)
  })

  test('is held, and not landed, when the forge merges another tree', async () => {
    using yard = new Yard(dialect)
    yard.server.rules.methods = ['squash']
    yard.server.script(/merge$/, 'other-tree')
    const reason = expect.stringMatching(/merged pull request 1 as .*, which is not what was checked; it differs in a$/)
    expect(await yard.run()).toEqual({ kind: 'held', reason })
  })

  test('settles a merge whose answer was lost by looking', async () => {
    using yard = new Yard(dialect)
    yard.server.script(/merge$/, 'lost')
    expect(await yard.run()).toMatchObject({ kind: 'landed' })
    expect([landedOn(yard), yard.server.count(/merge$/)]).toEqual([{ commits: 1, files: 'a' }, 1])
  })
})

describe('a landing by pull request', () => {
  const dialect = 'gitea'

  test('blames a red check with its name', async () => {
    using yard = new Yard(dialect)
    await yard.run(/checks to begin/)
    yard.server.report(yard.sha, 'ci', 'red')
    expect(await yard.run()).toMatchObject({ kind: 'red', checks: [{ name: 'ci', state: 'red' }] })
    expect(yard.server.count(/merge$/)).toBe(0)
  })

  test('waits for a check that fits a required pattern, and for all that do', async () => {
    using yard = new Yard(dialect)
    yard.server.rules.requiredChecks = ['CI / *']
    await yard.run(/^waiting for checks: CI \/ \*$/)
    yard.server.report(yard.sha, 'CI / unit (pull_request)', 'green')
    yard.server.report(yard.sha, 'CI / web/lint', 'pending')
    await yard.run(/^waiting for checks: CI \/ web\/lint$/)
    yard.server.report(yard.sha, 'CI / web/lint', 'green')
    yard.server.report(yard.sha, 'nightly', 'red')
    expect(await yard.run()).toMatchObject({ kind: 'landed' })
  })

  test('merges nothing on a target that has moved', async () => {
    using yard = new Yard(dialect)
    await yard.run(/checks to begin/)
    yard.server.push('main', { b: '2\n' })
    expect(await yard.run()).toMatchObject({ kind: 'stale' })
    expect(yard.server.count(/merge$/)).toBe(0)
  })

  test('is made again, and merged by no one, when it conflicts with where the target has moved to', async () => {
    using yard = new Yard(dialect)
    await yard.run(/checks to begin/)
    yard.server.push('main', { a: '3\n' })
    expect(await yard.run()).toMatchObject({ kind: 'stale' })
    expect(yard.server.count(/merge$/)).toBe(0)
  })

  test('is held when somebody else pushes to its branch, closes it, or deletes the branch', async () => {
    for (const [act, reason] of [
      [(yard: Yard) => void yard.server.push(HEAD, { c: 'more\n' }), 'was changed at the remote'],
      [
        (yard: Yard) => Object.assign(yard.server.pulls.get(1) ?? {}, { state: 'closed' }),
        'was closed without being merged',
      ],
      [
        (yard: Yard) => git(yard.server.repository, 'update-ref', '-d', `refs/heads/${HEAD}`),
        'was deleted at the remote',
      ],
    ] as const) {
      using yard = new Yard(dialect)
      await yard.run(/checks to begin/)
      act(yard)
      expect(await yard.run()).toMatchObject({ kind: 'held', reason: expect.stringContaining(reason) })
      expect(landedOn(yard).commits).toBe(0)
    }
  })

  test('has landed when its commit reaches the target by a push', async () => {
    using yard = new Yard(dialect)
    await yard.run(/checks to begin/)
    git(yard.server.repository, 'update-ref', 'refs/heads/main', yard.sha)
    expect(await yard.run()).toEqual({ kind: 'landed', commit: yard.sha })
    expect(yard.server.count(/merge$/)).toBe(0)
  })

  test('is held when the forge says yes and does nothing', async () => {
    using yard = new Yard(dialect)
    for (let times = 0; times < 20; times++) yard.server.script(/merge$/, 'empty-yes')
    expect(await yard.run()).toMatchObject({
      kind: 'held',
      reason: expect.stringContaining('not merged in 10 attempts'),
    })
    expect(yard.server.count(/merge$/)).toBe(10)
  })

  test('waits while a draft is a draft, and while changes are requested', async () => {
    using yard = new Yard(dialect, { isDraft: true })
    await yard.run(/is a draft/)
    Object.assign(yard.server.pulls.get(1) ?? {}, {
      draft: false,
      reviews: [{ user: 'ann', state: 'CHANGES_REQUESTED' }],
    })
    await yard.run(/has requested changes/)
    Object.assign(yard.server.pulls.get(1) ?? {}, { reviews: [] })
    expect(await yard.run()).toMatchObject({ kind: 'landed' })
  })

  test('replaces its own candidate with a lease, in the same pull request', async () => {
    using yard = new Yard(dialect)
    await yard.run(/checks to begin/)
    const base = yard.server.push('main', { b: '2\n' })
    git(yard.path, 'fetch', '-q', yard.server.repository, 'main')
    const sha = commitFiles(yard.path, base, { a: '2\n' })
    const { number, sha: before } = yard.row
    yard.rows.push({
      state: 'pr_open',
      headBranch: HEAD,
      target: 'main',
      base,
      sha,
      replaced: [before],
      ...(number && { number }),
      attempts: 0,
    })
    expect(await yard.run()).toMatchObject({ kind: 'landed' })
    expect(yard.server.pulls.size).toBe(1)
  })
})

test('a landing through the merge queue is put in once and followed until it is merged or put out', async () => {
  using yard = new Yard('github')
  yard.server.rules.queue = true
  await yard.run(/in the merge queue/)
  yard.server.push('main', { b: '2\n' })
  await yard.run(/in the merge queue/)
  yard.server.runQueue()
  expect(await yard.run()).toEqual({ kind: 'landed', commit: yard.server.tip() })
  expect([landedOn(yard).commits, yard.server.count(/PUT .*merge$/)]).toEqual([2, 0])
})
