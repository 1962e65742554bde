import { describe, expect, test } from 'bun:test'
import { compose } from '../../../src/config/compose/compose.ts'
import { formatDiagnostic } from '../../../src/config/files/diagnostics.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { cityFiles } from '../../config/city-files.ts'
import { scriptedTown } from '../../support/city.ts'
import { type Forge, forge, monitorOf } from './forge.ts'

async function world(hub: Forge, more = '') {
  const town = scriptedTown(monitorOf(hub.url, more))
  const open = () => town.open({ env: { FORGE_TOKEN: 'secret-token' } })
  let city = await open()
  /** Waits for the look that is due. */
  const looked = () => city.monitors.whenIdle()
  await town.clock.advance(0)
  await looked()
  return {
    town,
    looked,
    advance: (ms: number) => town.clock.advance(ms),
    /** Waits for the next look. */
    async look() {
      await town.clock.advance(60_000)
      await looked()
    },
    async restart() {
      await city.close({ endSessions: false })
      city = await open()
      await town.clock.advance(0)
      await looked()
    },
    changes: () =>
      city.log
        .after(0, 1000)
        .filter(({ type }) => type === 'github.pull_request')
        .map(({ subject, payload }) => [subject, Object(payload).change]),
    events: () => city.log.after(0, 1000).filter(({ type }) => type === 'github.pull_request'),
    [Symbol.asyncDispose]: () => town[Symbol.asyncDispose](),
  }
}

const at = (minute: number, second = 0) =>
  `2026-01-05T10:${String(minute).padStart(2, '0')}:${String(second).padStart(2, '0')}Z`

describe('a monitor of pull requests', () => {
  test('begins with what changes next, and records each change once', async () => {
    using hub = forge()
    hub.set({ number: 1, updated_at: at(0) })
    await using city = await world(hub)
    expect(city.changes()).toEqual([])
    hub.set({ number: 1, updated_at: at(2) }, { number: 2, updated_at: at(1), created_at: at(1) })
    await city.look()
    const changes = [
      ['press/oil#2', 'opened'],
      ['press/oil#1', 'updated'],
    ]
    expect(city.changes()).toEqual(changes)
    await city.look()
    expect(city.changes()).toEqual(changes)
    expect(hub.requests.map(({ status }) => status)).toEqual([200, 200, 304])
    expect(city.events()[0]).toMatchObject({
      actor: 'gc/github',
      payload: {
        ...{ monitor: 'oil', repo: 'press/oil', number: 2, title: 'change 2', author: 'ann', base: 'main' },
        ...{ head: 'fix-2', head_sha: 'sha2', url: 'https://github.com/press/oil/pull/2', draft: false },
      },
    })
  })

  test('distinguishes merged from closed, and two changes in one second', async () => {
    using hub = forge()
    hub.set({ number: 1, updated_at: at(0) })
    await using city = await world(hub)
    hub.set(
      { number: 1, updated_at: at(1), closed_at: at(1), merged_at: at(1) },
      { number: 2, updated_at: at(0), created_at: '2026-01-02T00:00:00Z' },
    )
    await city.look()
    hub.set({ number: 1, updated_at: at(1) }, { number: 3, updated_at: at(1), closed_at: at(1) })
    await city.look()
    expect(city.changes()).toEqual([
      ['press/oil#2', 'updated'],
      ['press/oil#1', 'merged'],
      ['press/oil#3', 'closed'],
    ])
  })

  test('continues after a restart with what it missed', async () => {
    using hub = forge()
    hub.set({ number: 1, updated_at: at(0) })
    await using city = await world(hub)
    hub.set({ number: 1, updated_at: at(3) })
    await city.restart()
    expect(city.changes()).toEqual([['press/oil#1', 'updated']])
  })

  test('reads as many pages as there are changes', async () => {
    using hub = forge()
    hub.set({ number: 1, updated_at: at(0) })
    await using city = await world(hub)
    hub.set(
      ...Array.from({ length: 250 }, (_, n) => ({ number: n + 1, updated_at: at(1 + Math.floor(n / 60), n % 60) })),
    )
    await city.look()
    expect(city.changes().length).toBe(250)
    expect(new Set(city.changes().map(([subject]) => subject)).size).toBe(250)
  })

  test('is about the branches that it names', async () => {
    using hub = forge()
    await using city = await world(hub, 'base_branches = ["main"]')
    hub.set({ number: 1, updated_at: at(1), base: 'next' }, { number: 2, updated_at: at(2) })
    await city.look()
    expect(city.changes()).toEqual([['press/oil#2', 'opened']])
  })

  test('leaves GitHub alone for as long as it asks', async () => {
    using hub = forge()
    await using city = await world(hub)
    const reset = Math.floor(city.town.clock.now() / 1000) + 600
    hub.setLimit({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) })
    await city.look()
    const asked = hub.requests.length
    hub.setLimit(undefined)
    hub.set({ number: 1, updated_at: at(1) })
    await city.advance(500_000)
    expect(hub.requests.length).toBe(asked)
    await city.advance(100_000)
    await city.looked()
    expect(city.changes()).toEqual([['press/oil#1', 'opened']])
  })

  test('shows its token to no one else', async () => {
    using hub = forge()
    await using city = await world(hub)
    expect(hub.requests[0]).toMatchObject({ path: '/repos/press/oil/pulls', token: 'Bearer secret-token' })
    expect(JSON.stringify([city.events(), city.town.reports])).not.toContain('secret-token')
  })
})

describe('[[github.pr_monitor]]', () => {
  const problems = (changes: string) => {
    using files = cityFiles({ 'city.toml': `[[github.pr_monitor]]\n${changes}` })
    const { errors, warnings } = compose(new FileSnapshot(files.path))
    return [...errors, ...warnings].map(formatDiagnostic)
  }
  const GOOD = 'name = "a"\nowner = "o"\nrepo = "r"\n'

  test.each([
    ['owner = "o"\nrepo = "r"\n', 'city.toml:1: [[github.pr_monitor]] name: is required'],
    ['name = "a"\nrepo = "r"\n', 'city.toml:1: [[github.pr_monitor]] owner: is required'],
    ['name = "a"\nowner = "o"\n', 'city.toml:1: [[github.pr_monitor]] repo: is required'],
    [
      'name = "a"\nowner = "o/p"\nrepo = "r"\n',
      'city.toml:3: [[github.pr_monitor]] owner: "o/p" is not a name at GitHub',
    ],
    [`${GOOD}rig = "moon"\n`, 'city.toml:5: [[github.pr_monitor]] rig: there is no rig "moon"'],
    [
      `${GOOD}poll_interval = "1s"\n`,
      'city.toml:5: [[github.pr_monitor]] poll_interval: "1s" must be a duration of 10s or more, such as 2m',
    ],
    [
      `${GOOD}base_url = "http://forge.example"\n`,
      'city.toml:5: [[github.pr_monitor]] base_url: "http://forge.example" must be an https:// address such as https://api.github.com',
    ],
    [`${GOOD}token_env = "a b"\n`, 'city.toml:5: [[github.pr_monitor]] token_env: "a b" is not the name of a variable'],
    [
      `${GOOD}base_branches = "main"\n`,
      'city.toml:5: [[github.pr_monitor]] base_branches: must be a list of strings, not "main"',
    ],
    [
      `${GOOD}merge_queue = "enqueue"\n`,
      'city.toml:5: [[github.pr_monitor]] merge_queue: is NOT applied: gc does nothing about merge queues, like "observe" and "ignore"; a [[webhook]] receives events of GitHub about them',
    ],
    [`${GOOD}notify = ["mayor", " "]\n`, 'city.toml:5: [[github.pr_monitor]] notify: must not hold an empty name'],
    [`${GOOD}authors = [""]\n`, 'city.toml:5: [[github.pr_monitor]] authors: must not hold an empty name'],
    [
      `${GOOD}repair_workflow = "mend"\n`,
      'city.toml:5: [[github.pr_monitor]] repair_workflow: goes with repair_route, which says who runs it',
    ],
  ])('is checked: %s', (changes, problem) => {
    expect(problems(changes)).toEqual([problem])
  })

  test.each(['observe', 'ignore'])('may say of merge queues what gc does: %s', (policy) => {
    expect(problems(`${GOOD}merge_queue = "${policy}"\n`)).toEqual([])
  })
})

describe('[[patches.github_pr_monitor]]', () => {
  const composed = (patch: string) => {
    const monitor = '[[github.pr_monitor]]\nname = "oil"\nowner = "o"\nrepo = "r"\nbase = "main"\n'
    using files = cityFiles({ 'city.toml': `${monitor}[[patches.github_pr_monitor]]\n${patch}` })
    const { config, errors, warnings } = compose(new FileSnapshot(files.path))
    return { monitors: config.monitors, problems: [...errors, ...warnings].map(formatDiagnostic) }
  }

  test('puts values over those of the monitor that it names', () => {
    expect(composed('name = "oil"\nrepo = "s"\nbase_branches = ["next"]\npoll_interval = "5m"\n')).toEqual({
      monitors: [
        {
          ...{ name: 'oil', owner: 'o', repo: 's', baseBranches: ['next'] },
          ...{ pollInterval: 300_000, baseUrl: 'https://api.github.com', authors: [], notify: [] },
        },
      ],
      problems: [],
    })
  })

  test.each([
    ['repo = "s"\n', 'city.toml:6: [[patches.github_pr_monitor]] name: is required'],
    [
      'name = "oilx"\n',
      'city.toml:7: [[patches.github_pr_monitor]] name: there is no monitor "oilx"; did you mean "oil"?',
    ],
    [
      'name = "oil"\npoll_interval = "1s"\n',
      'city.toml:8: [[patches.github_pr_monitor]] poll_interval: "1s" must be a duration of 10s or more, such as 2m',
    ],
    [
      'name = "oil"\nnotify = "mayor"\n',
      'city.toml:8: [[patches.github_pr_monitor]] notify: must be a list of strings, not "mayor"',
    ],
  ])('is checked: %s', (patch, problem) => {
    expect(composed(patch).problems).toEqual([problem])
  })
})
