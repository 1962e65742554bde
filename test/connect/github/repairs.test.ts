import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { scriptedTown } from '../../support/city.ts'
import { type Forge, forge, monitorOf, type OpenPull } from './forge.ts'

const CITY = `
[[rigs]]
name = "press"
path = "../press"
prefix = "pr"

[[agent]]
name = "fixer"
dir = "press"
start_command = "true"
max_active_sessions = 2

[[agent]]
name = "mayor"
start_command = "true"
max_active_sessions = 1
`
const ROUTED = 'rig = "press"\nrepair_route = "fixer"\n'
const MEND =
  'formula = "mend"\nversion = 1\n[[steps]]\nid = "push"\ntitle = "Push to {{branch}} of {{repo}} for {{pr}}"\n'

const FAILED: OpenPull = {
  ...{ number: 7, merge: 'BLOCKED', rollup: 'FAILURE' },
  checks: [{ name: 'build', status: 'COMPLETED', conclusion: 'FAILURE' }],
}
const GOOD: OpenPull = { ...FAILED, merge: 'CLEAN', rollup: 'SUCCESS', checks: [] }

async function world(hub: Forge, more: string, env: Record<string, string> = { FORGE_TOKEN: 'secret-token' }) {
  const town = scriptedTown(CITY + monitorOf(hub.url, more))
  mkdirSync(`${town.path}/formulas`, { recursive: true })
  writeFileSync(`${town.path}/formulas/mend.toml`, MEND)
  let city = await town.open({ env })
  const look = async (ms = 60_000) => {
    await town.clock.advance(ms)
    await city.monitors.whenIdle()
  }
  await look(0)
  const all = () => city.beads.list({ all: true }).value.items
  return {
    ...{ town, look },
    /** The repairs of pull requests, oldest first. */
    repairs: () =>
      all()
        .filter(({ metadata }) => metadata?.source === 'github-pr-monitor')
        .toReversed(),
    all,
    mail: () => (city.mail.list({ status: 'all' }).items ?? []).map(({ to, from, subject }) => ({ to, from, subject })),
    close: (id: string) => city.beads.close({ kind: 'human' }, id),
    reload: () => city.config.reload(),
    head: () => city.log.head,
    /** Recorded events, except those of sessions started for a repair. */
    recorded: (after: number) =>
      city.log
        .after(after, 1000)
        .filter(({ actor }) => actor.endsWith('github'))
        .map(({ type, actor }) => `${type} by ${actor}`),
    async restart() {
      await city.close({ endSessions: false })
      city = await town.open({ env })
      await look(0)
    },
    [Symbol.asyncDispose]: () => town[Symbol.asyncDispose](),
  }
}

describe('a pull request that cannot be merged', () => {
  test('gets one repair, which says what is known and is given to its route', async () => {
    using hub = forge()
    hub.setOpen(FAILED, { number: 8 })
    await using city = await world(hub, ROUTED)
    const [repair, ...others] = city.repairs()
    expect(others).toEqual([])
    expect(repair).toMatchObject({
      ...{ title: 'Repair press/oil#7: change 7', issue_type: 'task', priority: 1, status: 'open' },
      labels: ['github', 'ci', 'repair', 'pr-monitor'],
      metadata: {
        ...{ source: 'github-pr-monitor', 'github.monitor': 'oil', 'github.owner': 'press', 'github.repo': 'oil' },
        ...{ 'github.pr': '7', 'github.head': 'fix-7', 'github.head_sha': 'sha7', 'github.base': 'main' },
        ...{ 'github.failure_kind': 'checks_failed', 'github.state': 'failed', 'github.failed_checks': 'build' },
        'gc.routed_to': 'press/fixer',
      },
    })
    expect(repair?.id).toStartWith('pr-')
    expect(repair?.description).toContain('cannot be merged: checks failed')
    expect(repair?.description).toContain('Failed checks:\n- build')
    const head = city.head()
    await city.look()
    expect(city.recorded(head)).toEqual([])
  })

  test('is repaired however long the names of its checks are', async () => {
    using hub = forge()
    const checks = Array.from({ length: 100 }, (_, n) => ({ context: `${n} ${'検'.repeat(400)}`, state: 'ERROR' }))
    hub.setOpen({ ...FAILED, checks })
    await using city = await world(hub, ROUTED)
    expect(city.town.reports).toEqual([])
    expect(city.repairs()[0]?.metadata?.['github.failed_checks']?.split('\n').length).toBe(100)
  })

  test('has its repair recorded in the name of gc, and nothing else follows', async () => {
    using hub = forge()
    await using city = await world(hub, ROUTED)
    const head = city.head()
    hub.setOpen(FAILED)
    await city.look()
    expect(city.recorded(head)).toEqual([
      'bead.created by gc/github',
      'bead.updated by github',
      'bead.created by github',
      'convoy.created by github',
    ])
  })

  test('gets the formula that the monitor names, with what it is about', async () => {
    using hub = forge()
    hub.setOpen(FAILED)
    await using city = await world(hub, `${ROUTED}repair_workflow = "mend"\n`)
    expect(city.all().map(({ title }) => title)).toContain('Push to fix-7 of press/oil for 7')
    expect(city.repairs().length).toBe(1)
  })

  test('has its open repair brought up to date, also after a push', async () => {
    using hub = forge()
    hub.setOpen(FAILED)
    await using city = await world(hub, ROUTED)
    hub.setOpen({ ...FAILED, merge: 'DIRTY', rollup: '', checks: [], sha: 'pushed' })
    await city.look()
    const [repair, ...others] = city.repairs()
    expect(others).toEqual([])
    expect(repair?.metadata).toMatchObject({
      ...{ 'github.failure_kind': 'merge_conflict', 'github.state': 'conflicted' },
      ...{ 'github.head_sha': 'pushed', 'github.failed_checks': '' },
    })
    expect(repair?.description).toContain('at pushed')
  })

  test('gets another repair once the first is closed and something changed, not before', async () => {
    using hub = forge()
    hub.setOpen(FAILED)
    await using city = await world(hub, ROUTED)
    await city.close(city.repairs()[0]?.id ?? '')
    await city.look()
    expect(city.repairs().length).toBe(1)
    hub.setOpen(GOOD)
    await city.look()
    hub.setOpen(FAILED)
    await city.look()
    expect(city.repairs().length).toBe(2)
    await city.close(city.repairs()[1]?.id ?? '')
    hub.setOpen({ ...FAILED, sha: 'pushed' })
    await city.look()
    expect(city.repairs().length).toBe(3)
  })

  test('has one repair over a restart', async () => {
    using hub = forge()
    hub.setOpen(FAILED)
    await using city = await world(hub, ROUTED)
    await city.restart()
    expect(city.repairs().length).toBe(1)
  })

  test('is reported by mail once, and so is its fix', async () => {
    using hub = forge()
    hub.setOpen(FAILED)
    await using city = await world(hub, 'notify = ["mayor", "human"]\n')
    await city.look()
    const failed = 'press/oil#7 needs a repair: checks failed'
    const both = (subject: string) => ['human', 'mayor'].map((to) => ({ to, from: 'gc', subject }))
    expect(city.mail()).toEqual(both(failed))
    expect(city.repairs()).toEqual([])
    hub.setOpen(GOOD)
    await city.look()
    await city.look()
    expect(city.mail()).toEqual([...both('press/oil#7 no longer needs a repair'), ...both(failed)])
  })

  test('is repaired though somebody who should be told is not known, and people hear of that', async () => {
    using hub = forge()
    hub.setOpen(FAILED)
    await using city = await world(hub, `${ROUTED}notify = ["nobody", "mayor"]\n`)
    expect(city.repairs().length).toBe(1)
    expect(city.mail().map(({ to }) => to)).toEqual(['mayor'])
    expect(city.town.reports).toEqual([
      'monitor oil cannot notify nobody: there is no recipient called "nobody": address a session by id, alias or name, an agent by its name, or human',
    ])
  })

  test('waits for its route where that is not known, and people hear of it once', async () => {
    using hub = forge()
    hub.setOpen(FAILED)
    await using city = await world(hub, 'rig = "press"\nrepair_route = "nobody"\n')
    await city.look()
    const [repair] = city.repairs()
    expect(repair?.metadata?.['gc.routed_to']).toBeUndefined()
    expect(city.town.reports).toEqual([
      expect.stringContaining(`repair ${repair?.id} of monitor oil cannot be given to nobody: `),
    ])
    city.town.declare(CITY + monitorOf(hub.url, ROUTED))
    await city.reload()
    await city.look()
    expect(city.repairs()[0]?.metadata?.['gc.routed_to']).toBe('press/fixer')
  })
})

describe('a monitor looks after', () => {
  const numbers = (city: Awaited<ReturnType<typeof world>>) =>
    city.repairs().map(({ metadata }) => Number(metadata?.['github.pr']))

  test('no pull request from a fork, unless its author is named', async () => {
    using hub = forge()
    const of = (number: number, author: string | null, isFork: boolean) => ({ ...FAILED, number, author, isFork })
    hub.setOpen(of(1, 'ann', false), of(2, 'eve', true), of(3, null, true))
    await using all = await world(hub, ROUTED)
    expect(numbers(all)).toEqual([1])
    await using named = await world(hub, `${ROUTED}authors = ["eve"]\n`)
    expect(numbers(named)).toEqual([2])
  })

  test('the branches that it names', async () => {
    using hub = forge()
    hub.setOpen({ ...FAILED, number: 1, base: 'next' }, { ...FAILED, number: 2 })
    await using city = await world(hub, `${ROUTED}base_branches = ["main"]\n`)
    expect(numbers(city)).toEqual([2])
  })

  test('every page of what is open', async () => {
    using hub = forge()
    hub.setOpen(...Array.from({ length: 120 }, (_, n) => ({ number: n + 1, merge: n < 118 ? 'CLEAN' : 'DIRTY' })))
    await using city = await world(hub, ROUTED)
    expect(numbers(city)).toEqual([119, 120])
  })

  test('nothing without a token, which people hear once, and the changes all the same', async () => {
    using hub = forge()
    hub.setOpen(FAILED)
    await using city = await world(hub, ROUTED, {})
    await city.look()
    expect(city.repairs()).toEqual([])
    expect(city.town.reports).toEqual([
      'monitor oil needs a token to see what fails: set FORGE_TOKEN and start `gc serve` again',
    ])
    expect(hub.requests.map(({ path }) => path)).toEqual(['/repos/press/oil/pulls', '/repos/press/oil/pulls'])
  })

  test('keeps its last state while GitHub refuses, and shows the reason of GitHub', async () => {
    using hub = forge()
    hub.setOpen(FAILED)
    await using city = await world(hub, ROUTED)
    hub.refuse('Something went wrong')
    await city.look()
    expect(city.town.reports).toEqual([
      `the pull requests of monitor oil cannot be read: ${hub.url}/graphql for press/oil: Something went wrong`,
    ])
    hub.refuse(undefined)
    await city.look(120_000)
    expect(city.repairs().length).toBe(1)
    expect(JSON.stringify(city.town.reports)).not.toContain('secret-token')
  })
})
