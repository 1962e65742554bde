import { afterEach, describe, expect, test } from 'bun:test'
import type { MergeMethod } from '../../../src/changes/forges/forge.ts'
import { type Forge, ForgeProblem, forgeOfRemote, openForge } from '../../../src/changes/forges/index.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { type Dialect, OWN_TOKEN, ScriptedForge } from '../../support/forge.ts'

const open: Disposable[] = []
afterEach(() => {
  for (const each of open.splice(0)) each[Symbol.dispose]()
})

/** A scripted forge, and gc's view of it. */
function opened(dialect: Dialect, token: string | undefined = OWN_TOKEN): { server: ScriptedForge; forge: Forge } {
  const server = new ScriptedForge(dialect)
  open.push(server)
  const tokens = { for: (host: string) => (host === server.host ? token : undefined) }
  const config = { kind: dialect, url: server.url, repository: 'acme/shop' }
  return { server, forge: openForge(config, { tokens, clock: systemClock, timeout: 2_000 }) }
}

const DRAFT = { title: 'Oil the hinge', body: 'why', head: 'gc/land/x', base: 'main', isDraft: false }
const MESSAGE = { title: 'Oil the hinge', body: 'Bead: mp-7' }

/** A forge with an open pull request that was looked at, and the commit of its head. */
async function withPull(dialect: Dialect) {
  const { server, forge } = opened(dialect)
  const sha = server.push('gc/land/x', { a: '2\n' })
  const { number } = await forge.create(DRAFT)
  await forge.read(number)
  const merge = (pinned = sha, method: MergeMethod = 'squash') =>
    forge.merge({ number, sha: pinned, method, message: MESSAGE })
  return { server, forge, sha, number, merge }
}

describe.each(['github', 'gitea'] as const)('%s', (dialect) => {
  test('shows what a branch requires without the rights of an admin', async () => {
    const { server, forge } = opened(dialect)
    expect(await forge.facts('main')).toMatchObject({
      ...{
        branch: 'main',
        head: server.tip(),
        requiredChecks: [],
        requiredApprovals: 0,
        canPush: true,
        hasQueue: false,
      },
    })
    Object.assign(server.rules, { requiredChecks: ['ci', 'lint'], approvals: 2 })
    expect(await forge.facts('main')).toMatchObject({
      requiredChecks: ['ci', 'lint'],
      requiredApprovals: 2,
      canPush: false,
    })
    expect(server.requests.map(({ status }) => status)).not.toContain(403)
    await expect(forge.facts('gone')).rejects.toThrow('there is no branch gone at the forge; set target in [rigs.land]')
  })

  test('opens one pull request, and returns the existing one to anyone who asks again', async () => {
    const { server, forge, sha, number } = await withPull(dialect)
    const again = await forge.create(DRAFT)
    expect(again).toMatchObject({
      number,
      state: 'open',
      head: 'gc/land/x',
      headSha: sha,
      base: 'main',
      isDraft: false,
    })
    expect(await forge.find('gc/land/x', 'main')).toMatchObject({ number })
    expect(await forge.find('gc/land/y', 'main')).toBeUndefined()
    expect(await forge.read(99)).toBeUndefined()
    expect(server.pulls.size).toBe(1)
  })

  test('finds the open one of several pull requests from the same branch', async () => {
    const { server, forge, number } = await withPull(dialect)
    await forge.close(number)
    expect(await forge.find('gc/land/x', 'main')).toMatchObject({ number, state: 'closed' })
    const { number: second } = await forge.create(DRAFT)
    expect(second).not.toBe(number)
    expect(await forge.find('gc/land/x', 'main')).toMatchObject({ number: second, state: 'open' })
    expect(await forge.create(DRAFT)).toMatchObject({ number: second })
    expect(server.pulls.size).toBe(2)
  })

  test('opens drafts and adds labels', async () => {
    const { server, forge } = opened(dialect)
    server.push('gc/land/x', { a: '2\n' })
    const { number, isDraft } = await forge.create({ ...DRAFT, isDraft: true })
    expect(isDraft).toBe(true)
    expect(await forge.label(number, ['gc'])).toEqual({ kind: 'accepted' })
    expect(server.pulls.get(number)?.labels).toEqual([dialect === 'github' ? 'gc' : '7'])
  })

  test('reads checks and the last word of each reviewer', async () => {
    const { server, forge, sha, number } = await withPull(dialect)
    for (const state of ['green', 'red', 'pending'] as const) server.report(sha, `is-${state}`, state)
    const reviews = [
      { user: 'ann', state: 'CHANGES_REQUESTED' },
      { user: 'ann', state: 'APPROVED' },
      { user: 'bob', state: 'APPROVED' },
    ]
    server.pulls.get(number)?.reviews.push(...reviews)
    const pull = await forge.read(number)
    expect(pull).toMatchObject({ approvals: 2, changesRequested: false, mergeability: 'clean' })
    expect(pull?.checks.map(({ name, state }) => `${name} ${state}`)).toEqual([
      ...['is-green green', 'is-red red', 'is-pending pending'],
    ])
  })

  test('reads every check of a commit that has many', async () => {
    const { server, forge, sha, number } = await withPull(dialect)
    for (let n = 0; n < 60; n++) server.report(sha, `check-${n}`, n === 59 ? 'red' : 'green')
    const { checks } = (await forge.read(number)) ?? { checks: [] }
    expect([checks.length, checks.filter(({ state }) => state === 'red').map(({ name }) => name)]).toEqual([
      60,
      ['check-59'],
    ])
  })

  test('merges the commit that was named, and only while it is the head', async () => {
    const { server, forge, sha, number, merge } = await withPull(dialect)
    const later = server.push('gc/land/x', { a: '3\n' })
    await forge.read(number)
    expect(await merge(sha)).toMatchObject({ kind: 'refused', cause: 'moved' })
    expect(await merge(later)).toEqual({ kind: 'accepted' })
    expect(await forge.read(number)).toMatchObject({ state: 'merged', mergeCommit: server.tip() })
    expect(await merge(later)).toMatchObject({ kind: 'unknown' })
  })

  test('takes a pull request that is not looked at yet for one to try again', async () => {
    const { server, forge } = opened(dialect)
    const sha = server.push('gc/land/x', { a: '2\n' })
    const { number } = await forge.create(DRAFT)
    server.pulls.get(number)?.looked.clear()
    expect(await forge.merge({ number, sha, method: 'squash', message: MESSAGE })).toMatchObject({ kind: 'retry' })
  })

  test('obeys the rules of the branch', async () => {
    const { server, merge } = await withPull(dialect)
    server.rules.requiredChecks = ['ci']
    expect(await merge()).toMatchObject({
      kind: 'refused',
      cause: 'rules',
      reason: expect.stringMatching(/status check/i),
    })
    const asked = JSON.stringify(server.requests)
    expect(asked).not.toMatch(/force_merge|bypass|admin/)
  })

  test('leaves unknown what a merge came to whose answer was lost', async () => {
    const { server, forge, number, merge } = await withPull(dialect)
    server.script(/merge$/, 'lost')
    expect(await merge()).toMatchObject({ kind: 'unknown' })
    expect(await forge.read(number)).toMatchObject({ state: 'merged' })
    server.script(/merge$/, { status: 502 })
    expect(await merge()).toMatchObject({ kind: 'unknown', reason: 'the forge answered 502 without a reason' })
  })

  test('keeps to rate limits, and asks by ETag for what it knows where there are ETags', async () => {
    const { server, forge, number } = await withPull(dialect)
    const before = server.requests.length
    await forge.read(number)
    const statuses = server.requests.slice(before).map(({ status }) => status)
    expect(statuses.includes(304)).toBe(dialect === 'github')
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 90) }
    server.script(/pulls/, { status: 403, headers })
    await expect(forge.read(number)).rejects.toThrow(/allows no more requests for (89|9\d) s/)
    const asked = server.requests.length
    await expect(forge.read(number)).rejects.toThrow('allows no more requests')
    expect(server.requests.length).toBe(asked)
  })

  test('sends its token to no other host, and quotes it nowhere', async () => {
    const { server, forge, number } = await withPull(dialect)
    const other = new ScriptedForge(dialect)
    open.push(other)
    server.script(/pulls/, {
      status: 301,
      headers: { location: `${other.url}/api/v3/repos/acme/shop/pulls/${number}` },
    })
    await expect(forge.read(number)).rejects.toThrow('the repository has moved; set its new name')
    expect(other.requests).toEqual([])
    server.script(/pulls/, { status: 403, body: { message: `no ${OWN_TOKEN} here\u0000\n` } })
    const reason = await forge.read(number).catch(String)
    expect(reason).toContain('the token may not do this: no *** here; give it access')
    expect(() => opened(dialect, '').forge).not.toThrow()
  })

  test('says what to do without a token, and about one that is not taken', async () => {
    const server = new ScriptedForge(dialect)
    open.push(server)
    const config = { kind: dialect, url: server.url, repository: 'acme/shop' }
    const without = () => openForge(config, { tokens: { for: () => undefined }, clock: systemClock })
    expect(without).toThrow(
      `there is no token for ${server.host}; add one with \`gc rig token add --host ${server.host}\``,
    )
    const { forge } = opened(dialect, 'wrong-token')
    await expect(forge.facts('main')).rejects.toThrow(ForgeProblem)
  })

  test('rejects an answer that is not JSON or has no end', async () => {
    const { server, forge, number } = await withPull(dialect)
    server.script(/pulls/, { status: 200, headers: { 'content-type': 'text/html' }, body: [] })
    expect(await forge.read(number).catch(String)).toBeDefined()
    server.script(/pulls/, { status: 200, body: { junk: 'x'.repeat(9_000_000) } })
    await expect(forge.read(number)).rejects.toThrow('the answer is too long')
  })
})

test('Gitea answers a fast-forward of a branch that is behind without a reason, which leaves it unknown', async () => {
  const { server, forge, number, merge, sha } = await withPull('gitea')
  server.push('main', { b: '2\n' })
  await forge.read(number)
  expect(await merge(sha, 'fast-forward')).toEqual({
    kind: 'unknown',
    reason: 'the forge answered 500 without a reason',
  })
  expect(await forge.read(number)).toMatchObject({ state: 'open' })
})

test('Gitea answers a squash that conflicts without a reason, which leaves it unknown, and says a merge commit conflicts', async () => {
  const { server, forge, number, merge, sha } = await withPull('gitea')
  server.push('main', { a: '3\n' })
  expect(await merge(sha, 'merge')).toMatchObject({ kind: 'refused', cause: 'conflict' })
  await forge.read(number)
  expect(await merge(sha)).toMatchObject({ kind: 'retry', reason: 'Please try again later' })
  server.push('main', { a: '4\n' })
  expect(await merge(sha)).toEqual({ kind: 'unknown', reason: 'the forge answered 500 without a reason' })
  expect(await forge.read(number)).toMatchObject({ state: 'open', mergeability: 'unknown' })
})

test('at Gitea, reviews of an earlier commit hold until they are dismissed', async () => {
  const { server, forge, number } = await withPull('gitea')
  const reviews = [
    { user: 'ann', state: 'APPROVED', stale: true },
    { user: 'bob', state: 'CHANGES_REQUESTED', stale: true },
  ]
  server.pulls.get(number)?.reviews.push(...reviews)
  expect(await forge.read(number)).toMatchObject({ approvals: 1, changesRequested: true })
})

test('GitHub puts a pull request into the merge queue once, pinned to its head', async () => {
  const { server, forge, number, sha } = await withPull('github')
  server.rules.queue = true
  expect(await forge.facts('main')).toMatchObject({ hasQueue: true, canPush: false })
  expect(await forge.enqueue(number, server.tip('main'))).toMatchObject({ kind: 'refused', cause: 'moved' })
  expect(await forge.enqueue(number, sha)).toEqual({ kind: 'accepted' })
  expect(await forge.enqueue(number, sha)).toEqual({ kind: 'accepted' })
  expect(await forge.read(number)).toMatchObject({ isQueued: true })
  server.runQueue()
  expect(await forge.read(number)).toMatchObject({ state: 'merged', isQueued: false })
})

test.each([
  ['git@github.com:acme/shop.git', 'acme/shop'],
  ['https://github.com/acme/shop', 'acme/shop'],
  ['ssh://git@github.com/acme/shop.git/', 'acme/shop'],
  ['https://git.example.com/acme/shop.git', undefined],
  ['https://github.com.evil.example/acme/shop', undefined],
  ['/srv/shop.git', undefined],
])('the remote %s is %s at GitHub', (address, repository) => {
  expect(forgeOfRemote(address)?.repository).toBe(repository)
})
