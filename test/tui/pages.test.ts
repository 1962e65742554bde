import { describe, expect, test } from 'bun:test'
import { timers } from '../../cli/io/timers.ts'
import { agentsPage, foldPools, poolPage, poolState } from '../../client/views/agents.ts'
import { eventsPage, parseEventFilter } from '../../client/views/events.ts'
import { amount, formatElapsed, limitOf, money, progressBar, sparkLine } from '../../client/views/figures.ts'
import { graphLines } from '../../client/views/graph.ts'
import { logPage } from '../../client/views/log.ts'
import type { Line } from '../../client/views/page.ts'
import { runPage } from '../../client/views/run.ts'
import { runsPage } from '../../client/views/runs.ts'
import { sessionsPage } from '../../client/views/sessions.ts'
import { timelineLines } from '../../client/views/timeline.ts'
import { toneOf } from '../../client/views/tones.ts'
import type { AgentResponse } from '../../src/agents/agents/schema.ts'
import type { RunTimeline } from '../../src/client/run-timeline.ts'
import { reachTo } from './reach.ts'

const agent = (name: string, more: Partial<AgentResponse> = {}): AgentResponse => ({
  ...{ name, running: false, suspended: false, pack_derived: false, state: 'stopped', available: true },
  ...more,
})

describe('the agents of a city', () => {
  const instance = (number: number, more: Partial<AgentResponse>) =>
    agent(`shop/worker-${number}`, { pool: 'shop/worker', ...more })
  const rows = foldPools([
    agent('mayor', { running: true, state: 'working' }),
    instance(1, { running: true, state: 'working' }),
    instance(2, { running: true, state: 'waiting' }),
    instance(3, {}),
    agent('clerk'),
  ])

  test('are one line for each pool, with how many of it run and how many wait', () => {
    expect(rows.map(({ name }) => name)).toEqual(['mayor', 'shop/worker', 'clerk'])
    expect(poolState(rows[1]?.instances ?? [])).toEqual({ text: '2/3 · 1 waiting', tone: 'warning' })
    expect(rows[1]?.instances.map(({ name }) => name)).toEqual(['shop/worker-1', 'shop/worker-2', 'shop/worker-3'])
  })
})

test('lists of agents and sessions mark what nothing confines although others are', async () => {
  const items = [agent('mayor', { session: { name: 'boss', attached: false } }), agent('clerk')]
  const session = { id: 'to-1', state: 'active', template: 'mayor', session_name: 'boss' }
  const unconfined = [{ session_id: 'to-1', session_name: 'boss', template: 'mayor' }]
  const answers: Record<string, unknown> = {
    agents: { items },
    sessions: { items: [session, { ...session, id: 'to-2' }] },
    'unconfined-sessions': { items: unconfined },
    attention: { items: [] },
    beads: { items: [] },
    pool: agent('pool', { idle_reason: 'no ready work is routed to it' }),
  }
  await using server = Bun.serve({
    port: 0,
    fetch: ({ url }) =>
      Response.json(answers[new URL(url).pathname.split('/').at(-1) ?? ''], { headers: { 'X-GC-Request-Id': 'r' } }),
  })
  const reach = reachTo(`http://127.0.0.1:${server.port}`, 'pool')
  const query = { cursor: undefined, filter: '', sort: undefined }
  for (const page of [agentsPage, poolPage, sessionsPage]) {
    const at = page.columns.findIndex(({ title }) => title === 'confined')
    const { items: listed, head } = await page.load(reach, query)
    expect([page.name, ...listed.map(({ cells }) => cells[at]?.text)]).toEqual([page.name, 'no', undefined])
    if (page === poolPage) expect(head?.[0]?.text).toBe('idle: no ready work is routed to it')
  }
})

test('the timeline of a run shows on one line for each step when it waited and when it was worked on', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 10, 28, 9, 0, second)).toISOString()
  const none = { cache_read_tokens: 0, cache_creation_tokens: 0, cost_usd_estimate: 0, unpriced: 0, input_tokens: 0 }
  const step = (
    bead_id: string,
    states: ['pending' | 'active' | 'completed', number][],
    more: Partial<RunTimeline['steps'][number]> = {},
  ) => ({
    ...{ bead_id, title: `do ${bead_id}`, kind: 'task', sessions: [], seconds: 0, output_tokens: 0, ...none },
    states: states.map(([status, second]) => ({ status, at: at(second), by: 'gc' })),
    ...more,
  })
  const timeline: RunTimeline = {
    ...{ run_id: 'r', status: 'completed', started_at: at(0), later_attempts: 1 },
    states: [{ status: 'completed', at: at(28), by: 'gc/runs' }],
    steps: [
      step(
        'a',
        [
          ['pending', 0],
          ['active', 7],
          ['completed', 14],
        ],
        { seconds: 7, output_tokens: 5, cost_usd_estimate: 0.5 },
      ),
      step(
        'b',
        [
          ['pending', 14],
          ['active', 21],
          ['completed', 28],
        ],
        { seconds: 75, attempt: 2 },
      ),
      step('s', [['pending', 0]], { kind: 'spec' }),
    ],
  }
  const texts = timelineLines(timeline, Date.now()).map(({ text }) => text)
  const bar = (text = '') => text.slice(32, 60)
  expect(texts[1]).toMatch(/^ ✓ a do a .* 7s · \$0\.50$/)
  expect(texts[2]).toMatch(/^ ✓ b do b · attempt 2 .* 1m 15s$/)
  expect(bar(texts[1])).toBe(`${'·'.repeat(7)}${'█'.repeat(7)}${' '.repeat(14)}`)
  expect(bar(texts[2])).toBe(`${' '.repeat(14)}${'·'.repeat(7)}${'█'.repeat(7)}`)
  expect(texts.some((text) => text.includes('do s'))).toBe(false)
})

test('the dashboard names the failed step of a completed run in the list, the run and its timeline', async () => {
  const failure = 'step "Plan" failed: no idea'
  const run = { run_id: 'r-1', status: 'completed', title: 'Bridge', target: '', formula: 'line' }
  const timeline: RunTimeline = {
    ...{ run_id: 'r-1', status: 'completed', started_at: '2026-11-28T09:00:00Z', later_attempts: 0, failure },
    ...{ states: [], steps: [] },
  }
  const answers: Record<string, unknown> = {
    ...{ 'r-1': run, pages: { runs: [run], total: 1, status_counts: {} }, steps: { run_id: 'r-1', steps: [] } },
    ...{ standing: { runs: { 'r-1': { steps: 1, done: 1, vars: {}, failure } } }, progress: { failure }, timeline },
  }
  await using server = Bun.serve({
    port: 0,
    fetch: ({ url }) =>
      Response.json(answers[new URL(url).pathname.split('/').at(-1) ?? ''], { headers: { 'X-GC-Request-Id': 'r' } }),
  })
  const reach = { ...reachTo(`http://127.0.0.1:${server.port}`), subject: 'r-1' }
  const query = { cursor: undefined, filter: '', sort: undefined }
  const { items } = await runsPage.load(reach, query)
  const why = runsPage.columns.findIndex(({ title }) => title === 'why')
  expect(items.map(({ cells }) => cells[why])).toEqual([{ text: failure, tone: 'bad' }])
  const bad = { text: failure, tone: 'bad' as const }
  expect((await runPage.load(reach, query)).head).toContainEqual(bad)
  expect(timelineLines(timeline, Date.now())).toContainEqual(bad)
})

test('runs are read page by page, in the order that is chosen, and counted as they are on the server', async () => {
  const asked: string[] = []
  const counts = { active: 1, completed: 900, failed: 40, canceled: 2 }
  const run = { run_id: 'r-1', status: 'failed', title: '', formula: 'line' }
  const fetch = ({ url }: Request) => {
    const { pathname, searchParams } = new URL(url)
    const isPage = pathname.endsWith('/runs/pages')
    if (isPage) asked.push(searchParams.toString())
    const page = { runs: [run], total: 943, status_counts: counts, next_cursor: 'more' }
    return Response.json(isPage ? page : { runs: {} }, { headers: { 'X-GC-Request-Id': 'r' } })
  }
  await using server = Bun.serve({ port: 0, fetch })
  const load = (sort: string | undefined, cursor: string | undefined) =>
    runsPage.load(reachTo(`http://127.0.0.1:${server.port}`), { cursor, filter: '', sort })
  const first = await load(undefined, undefined)
  expect(first).toMatchObject({ total: 943, next: 'more' })
  expect(first.head?.[0]?.text).toBe('1 active · 900 completed · 40 failed · 2 canceled')
  await load('those that failed', 'more')
  await load('those that have ended', undefined)
  expect(asked).toEqual(['show=all&limit=100', 'show=failed&limit=100&cursor=more', 'show=ended&limit=100'])
})

test('sessions are read again when agents take up work or are done with it, not for what people do to beads', () => {
  const isRead = (type: string, actor: string) => sessionsPage.isChangedBy({ type, actor, subject: 'al-1' }, '', '')
  expect(isRead('bead.updated', 'press/worker')).toBe(true)
  expect(isRead('bead.closed', 'press/worker')).toBe(true)
  expect(isRead('session.woke', 'gc/sessions')).toBe(true)
  expect([isRead('bead.closed', 'human'), isRead('bead.created', 'press/worker')]).toEqual([false, false])
})

test('events are looked through for a text until there are enough, or many were', async () => {
  const asked: URLSearchParams[] = []
  const item = (seq: number) => ({ seq, type: 'x', ts: '', actor: 'ann', message: seq % 100 === 0 ? 'zebra' : '' })
  const fetch = ({ url }: Request) => {
    const { searchParams } = new URL(url)
    asked.push(searchParams)
    const first = Number(searchParams.get('cursor') ?? 9_000)
    const count = Number(searchParams.get('limit'))
    const items = Array.from({ length: count }, (_, n) => item(first - n))
    return Response.json(
      { items, total: 9_000, next_cursor: String(first - count) },
      { headers: { 'X-GC-Request-Id': 'r' } },
    )
  }
  await using server = Bun.serve({ port: 0, fetch })
  const load = (filter: string) =>
    eventsPage.load(reachTo(`http://127.0.0.1:${server.port}`), { cursor: undefined, filter, sort: undefined })
  expect((await load('zebra')).items.length).toBe(50)
  expect(asked.length).toBe(10)
  expect(await load('who:ann')).toMatchObject({ next: '8900' })
  expect(asked.length).toBe(11)
})

describe('the graph of a run', () => {
  const step = (id: string, status: string) => ({ id, title: `do ${id}`, status })
  const lines = (beads: ReturnType<typeof step>[], deps: { from: string; to: string; kind?: string }[]) =>
    graphLines({
      root_bead_id: 'r',
      deps,
      beads: beads.map((bead) => ({ ...{ kind: 'task', assignee: '', metadata: {} }, ...bead })),
    }).map(({ text }) => text)

  test('has every step further in than what it waits for', () => {
    const steps = [step('r', 'active'), step('c', 'pending'), step('a', 'completed'), step('b', 'active')]
    const edges = [
      { from: 'a', to: 'b', kind: 'blocks' },
      { from: 'b', to: 'c', kind: 'blocks' },
      { from: 'a', to: 'c', kind: 'blocks' },
      { from: 'r', to: 'a', kind: 'parent-child' },
    ]
    expect(lines(steps, edges)).toEqual(['✓ a  do a', '└─ ▶ b  do b ← a', '   └─ ○ c  do c ← b, a'])
  })

  test('has the attempts at a step below it, with what the check said, and leaves out what gc keeps on its own', () => {
    const made = (id: string, kind: string, status: string, metadata: Record<string, string> = {}) => ({
      ...{ id, kind, status, metadata, title: `do ${id}`, assignee: '' },
    })
    const first = { 'gc.control_for': 'build', 'gc.step_id': 'build', 'gc.exit_code': '1', 'gc.stdout': 'no test\n' }
    const lines = graphLines({
      root_bead_id: 'r',
      deps: [
        { from: 'l', to: 'n', kind: 'blocks' },
        { from: 'a1', to: 'l', kind: 'blocks' },
        { from: 'n', to: 'f', kind: 'blocks' },
      ],
      beads: [
        made('l', 'ralph', 'active', { 'gc.step_id': 'build', 'gc.max_attempts': '3' }),
        { ...made('a1', 'task', 'completed', first), attempt: 1 },
        made('n', 'task', 'pending'),
        made('s', 'spec', 'pending'),
        made('f', 'workflow-finalize', 'pending'),
        { ...made('a2', 'task', 'active', { 'gc.control_for': 'l' }), attempt: 2, assignee: 'ann' },
      ],
    })
    expect(lines.map(({ text }) => text)).toEqual([
      '▶ l  do l · at most 3 attempts',
      '├─ ✗ a1  attempt 1: no test',
      '├─ ▶ a2  attempt 2 · ann',
      '└─ ○ n  do n ← l',
    ])
  })

  test('ends where steps wait for each other in a circle', () => {
    const edges = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ]
    expect(lines([step('a', 'pending'), step('b', 'pending')], edges)).toHaveLength(2)
  })
})

test('a line of bars is as high as its largest value, and nothing is a dot', () => {
  expect(sparkLine([0, 1, 4, 8])).toBe('·▂▅█')
  expect(sparkLine([0, 0])).toBe('··')
})

test('a progress bar is empty only before the beginning and full only at the end', () => {
  expect([0, 0.01, 0.5, 0.99, 1].map((part) => progressBar(part, 4, '█░'))).toEqual([
    ...['░░░░', '█░░░', '██░░', '███░', '████'],
  ])
})

test('limits and usage are shown in their unit', () => {
  expect([amount(0, 'usd'), amount(1_250_000, 'tokens')]).toEqual(['$0.00', '1.3M tokens'])
  expect(limitOf({ limit: 5, unit: 'usd', per: 'day' })).toBe('$5.00 a day')
  expect(limitOf({ limit: 200_000, unit: 'tokens', per: 'hour' })).toBe('200.0k tokens an hour')
  expect([money(1, 0), money(0, 1), money(0.5, 2)]).toEqual([
    ...['$1.00', '$0.00 and 1 turn without a price', '$0.50 and 2 turns without a price'],
  ])
  expect([formatElapsed(850), formatElapsed(8013)]).toEqual(['850 ms', '8.0 s'])
})

test('the page of the log holds its last lines, and marks errors', async () => {
  const machine = {
    diagnose: async () => [],
    async *followLog() {
      yield ['unexpected error: x']
      yield Array.from({ length: 6_000 }, (_, at) => `line ${at}`)
    },
  }
  const shown: (readonly Line[])[] = []
  await logPage.follow?.(
    { ...reachTo('http://127.0.0.1:9'), machine },
    { show: (lines) => shown.push(lines), following: { signal: new AbortController().signal, timers } },
  )
  expect(shown[0]).toMatchObject([{ text: 'unexpected error: x', tone: 'bad' }])
  expect(shown[1]?.length).toBe(5_000)
  expect(shown[1]?.at(-1)).toMatchObject({ text: 'line 5999' })
})

test('the filter of events takes words for the server, and text', () => {
  expect(parseEventFilter('type:bead.closed  who:shop/ann about:to-1 Paint it')).toEqual({
    query: { type: 'bead.closed', actor: 'shop/ann', subject: 'to-1' },
    text: 'paint it',
  })
  expect(parseEventFilter('type: at:1')).toEqual({ query: {}, text: 'type: at:1' })
  const event = { type: 'bead.closed', actor: 'ann', subject: 'to-1' }
  const changes = (filter: string) => eventsPage.isChangedBy(event, '', filter)
  expect(['', 'paint', 'type:bead.closed who:ann', 'type:bead', 'type:closed', 'about:to-2'].map(changes)).toEqual([
    ...[true, true, true, true, false, false],
  ])
})

test('failures stand out, finished and waiting work does not', () => {
  for (const state of ['failed', 'failed-create', 'init_failed', 'restart_failed', 'quarantined'])
    expect([state, toneOf(state)]).toEqual([state, 'bad'])
  for (const state of ['completed', 'canceled', 'skipped', 'closed', 'blocked'])
    expect([state, toneOf(state)]).toEqual([state, 'quiet'])
})
