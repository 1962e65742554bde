import { describe, expect, test } from 'bun:test'
import { decideOutcome } from '../../../src/agents/lifecycle/plan/exit-rules.ts'
import { IDLE_GRACE, ON_DEMAND_IDLE, PARK_AFTER } from '../../../src/agents/lifecycle/plan/limits.ts'
import { plan } from '../../../src/agents/lifecycle/plan/plan.ts'
import type {
  AgentState,
  CitySnapshot,
  ProcessState,
  SessionSnapshot,
} from '../../../src/agents/lifecycle/plan/snapshot.ts'

const NOW = 1_000_000_000

const agent = (over: Partial<AgentState> = {}): AgentState => ({
  name: 'worker',
  rig: '',
  suspended: false,
  minActive: 0,
  maxActive: 3,
  startupTimeout: 600_000,
  problem: undefined,
  retryAt: 0,
  drainTimeout: 300_000,
  driftDrainTimeout: 120_000,
  sleepAfterIdle: undefined,
  idleTimeout: undefined,
  maxAge: undefined,
  maxAgeJitter: 0,
  dependsOn: [],
  scaleTarget: 0,
  demand: [],
  ...over,
})

const session = (over: Partial<SessionSnapshot> = {}): SessionSnapshot => ({
  id: 'mc-1',
  agent: 'worker',
  origin: 'ephemeral',
  named: undefined,
  slot: 1,
  state: 'active',
  reason: '',
  key: 'k1',
  pid: 10,
  processStarted: 's',
  wokeAt: NOW,
  drainAt: 0,
  retryAt: 0,
  quarantinedUntil: 0,
  failures: 0,
  churn: 0,
  wakeRequested: false,
  work: [],
  worked: false,
  createdFor: undefined,
  leftUnclaimed: false,
  fromScaleCheck: false,
  resumed: false,
  crashHoldUntil: 0,
  limitedUntil: 0,
  messages: 0,
  attached: false,
  asking: false,
  askedUntil: 0,
  answered: false,
  quietSince: NOW,
  busyUntil: 0,
  drift: [],
  jitter: 0,
  busy: false,
  ...over,
})

const process = (over: Partial<ProcessState> = {}): ProcessState => ({
  key: 'k1',
  pid: 10,
  startedAt: 's',
  exit: undefined,
  ...over,
})

const stopped = { key: undefined, pid: undefined, processStarted: undefined }

const snapshot = (
  over: Partial<Omit<CitySnapshot, 'hosted'>> & { hosted?: ProcessState[] | undefined } = {},
): CitySnapshot => ({
  now: NOW,
  city: { suspended: false, maxActive: undefined },
  wakes: 5,
  chat: { idle: undefined, grace: 600_000 },
  rigs: new Map(),
  agents: [agent()],
  named: [],
  sessions: [],
  ...over,
  hosted: 'hosted' in over && !over.hosted ? undefined : new Map((over.hosted ?? []).map((one) => [one.key, one])),
})

const demand = (...beads: string[]) => beads.map((bead) => ({ bead, deaths: 0, until: 0 }))
const brief = (over: Parameters<typeof snapshot>[0]) =>
  plan(snapshot(over)).actions.map((action) => {
    if (action.do === 'create')
      return `create ${action.named ?? `${action.agent}-${action.slot}`} ${action.work ?? ''}`.trim()
    if (action.do === 'record-exit') return `record-exit ${action.session} ${action.exit.how} ${action.outcome.state}`
    if (action.do === 'end') return `end ${action.key}`
    if (action.do === 'park') return `park ${action.bead}`
    if (action.do === 'drain') return `drain ${action.session} ${action.reason}`
    return `${action.do} ${action.session}`
  })

describe('matching rows and processes', () => {
  test('does nothing while the host’s processes are unknown', () => {
    expect(brief({ hosted: undefined, sessions: [session()], agents: [agent({ demand: demand('w-1') })] })).toEqual([])
  })

  test('leaves a working session alone', () => {
    expect(brief({ hosted: [process()], sessions: [session({ work: ['w-1'] })] })).toEqual([])
  })

  test('records the exit of a session whose process exited or is gone', () => {
    expect(brief({ sessions: [session()] })).toEqual(['record-exit mc-1 lost asleep'])
    const exit = { how: 'exited', code: 1 } as const
    expect(brief({ hosted: [process({ exit })], sessions: [session()] })).toEqual(['record-exit mc-1 exited asleep'])
    const clean = { how: 'exited', code: 0 } as const
    expect(brief({ hosted: [process({ exit: clean })], sessions: [session()] })).toEqual([
      'record-exit mc-1 exited closed',
    ])
  })

  test('adopts a process that was started before a crash could record it', () => {
    const creating = session({ state: 'creating', pid: undefined, processStarted: undefined })
    expect(brief({ hosted: [process()], sessions: [creating] })).toEqual(['adopt mc-1'])
    expect(brief({ hosted: [], sessions: [creating] })).toEqual(['record-exit mc-1 lost asleep'])
  })

  test('ends a process with a reused pid, an unknown one, and one whose session is held', () => {
    expect(brief({ hosted: [process({ startedAt: 'later' })], sessions: [session()] })).toEqual(['end k1'])
    expect(brief({ hosted: [process({ key: 'k9' })] })).toEqual(['end k9'])
    expect(brief({ hosted: [process()], sessions: [session({ state: 'suspended' })] })).toEqual(['end k1'])
  })

  test('leaves a session alone while a step is under way', () => {
    expect(brief({ sessions: [session({ busy: true })] })).toEqual([])
  })
})

describe('waiting work', () => {
  test('gets one session per bead, up to the maximum of the agent', () => {
    const waiting = agent({ demand: demand('w-1', 'w-2', 'w-3', 'w-4') })
    expect(brief({ agents: [waiting] })).toEqual(['create worker-1 w-1', 'create worker-2 w-2', 'create worker-3 w-3'])
  })

  test('gets no more sessions than the rig and the city allow, and no more starts than the limit', () => {
    const waiting = agent({ rig: 'r', demand: demand('w-1', 'w-2', 'w-3') })
    const rigs = new Map([['r', { suspended: false, maxActive: 2 }]])
    expect(brief({ agents: [waiting], rigs })).toHaveLength(2)
    expect(brief({ agents: [waiting], rigs, city: { suspended: false, maxActive: 1 } })).toHaveLength(1)
    expect(brief({ agents: [waiting], wakes: 0 })).toEqual([])
  })

  test('is covered by sessions that start, wait to start or are idle', () => {
    const waiting = agent({ demand: demand('w-1') })
    const free = session({ quietSince: NOW })
    expect(brief({ agents: [waiting], hosted: [process()], sessions: [free] })).toEqual([])
    const pending = session({ ...stopped, state: 'start-pending' })
    expect(brief({ agents: [waiting], sessions: [pending] })).toEqual(['start mc-1'])
    const resting = session({ ...stopped, state: 'asleep', retryAt: NOW + 5000 })
    const later = plan(snapshot({ agents: [waiting], sessions: [resting] }))
    expect(later).toEqual({ actions: [], due: NOW + 5000 })
  })

  test('is not offered while it backs off, and is parked after too many failures', () => {
    const waiting = agent({
      demand: [
        { bead: 'w-1', deaths: 2, until: NOW + 4000 },
        { bead: 'w-2', deaths: PARK_AFTER, until: 0 },
      ],
    })
    expect(brief({ agents: [waiting] })).toEqual(['park w-2'])
    expect(plan(snapshot({ agents: [waiting] })).due).toBe(NOW + 4000)
  })

  test('waits while its agent is suspended, has no program or backs off, or its rig or city is suspended', () => {
    const held = { demand: demand('w-1') }
    expect(brief({ agents: [agent({ ...held, suspended: true })] })).toEqual([])
    expect(brief({ agents: [agent({ ...held, problem: 'no such command' })] })).toEqual([])
    expect(brief({ agents: [agent({ ...held, maxActive: 0 })] })).toEqual([])
    expect(brief({ agents: [agent(held)], city: { suspended: true, maxActive: undefined } })).toEqual([])
    const rigs = new Map([['r', { suspended: true, maxActive: undefined }]])
    expect(brief({ agents: [agent({ ...held, rig: 'r' })], rigs })).toEqual([])
    const suspect = plan(snapshot({ agents: [agent({ ...held, retryAt: NOW + 9000 })] }))
    expect(suspect).toEqual({ actions: [], due: NOW + 9000 })
  })

  test('of a stopped session restarts that session before any new one', () => {
    const own = session({ ...stopped, state: 'asleep', work: ['w-1'] })
    const one = agent({ maxActive: 1, demand: demand('w-2') })
    expect(brief({ agents: [one], sessions: [own] })).toEqual(['start mc-1'])
  })
})

describe('idle sessions', () => {
  const idle = { wokeAt: NOW - IDLE_GRACE, quietSince: NOW - IDLE_GRACE }

  test('are drained after a grace period, then ended', () => {
    expect(brief({ hosted: [process()], sessions: [session(idle)] })).toEqual(['drain mc-1 no-wake-reason'])
    const draining = session({ ...idle, state: 'draining', drainAt: NOW })
    expect(brief({ hosted: [process()], sessions: [draining] })).toEqual(['end k1'])
    const fresh = plan(snapshot({ hosted: [process()], sessions: [session()] }))
    expect(fresh).toEqual({ actions: [], due: NOW + IDLE_GRACE })
  })

  test('stay up while someone watches, a message waits, or the agent has a minimum', () => {
    expect(brief({ hosted: [process()], sessions: [session({ ...idle, attached: true })] })).toEqual([])
    expect(brief({ hosted: [process()], sessions: [session({ ...idle, messages: 1 })] })).toEqual([])
    expect(brief({ hosted: [process()], sessions: [session(idle)], agents: [agent({ minActive: 1 })] })).toEqual([])
  })

  test('that claim nothing in their startup_timeout are drained, whatever they show and whatever waits for them', () => {
    const late = { ...session({ createdFor: 'w-1', leftUnclaimed: true, messages: 1 }), wokeAt: NOW - 600_000 }
    const waiting = [agent({ demand: demand('w-1') })]
    const briefly = (over: Partial<SessionSnapshot>) =>
      brief({ hosted: [process()], agents: waiting, sessions: [{ ...late, ...over }] })
    expect(briefly({})).toEqual(['drain mc-1 no-wake-reason'])
    expect(briefly({ worked: true })).toEqual([])
    expect(briefly({ leftUnclaimed: false })).toEqual([])
    expect(briefly({ attached: true })).toEqual([])
    expect(briefly({ busyUntil: NOW + 1000 })).toEqual([])
    const early = { ...late, wokeAt: NOW - 500_000 }
    expect(plan(snapshot({ hosted: [process()], agents: waiting, sessions: [early] })).due).toBe(NOW + 100_000)
  })

  test('of a person stay up, unless their agent puts idle ones to sleep', () => {
    const mine = session({ ...idle, origin: 'manual', slot: undefined })
    expect(brief({ hosted: [process()], sessions: [mine] })).toEqual([])
    const sleepy = agent({ sleepAfterIdle: 1000 })
    expect(brief({ hosted: [process()], sessions: [mine], agents: [sleepy] })).toEqual(['drain mc-1 idle'])
  })

  test('that drain with work in progress get the drain timeout', () => {
    const draining = session({ state: 'draining', work: ['w-1'], drainAt: NOW })
    const patient = plan(snapshot({ hosted: [process()], sessions: [draining] }))
    expect(patient).toEqual({ actions: [], due: NOW + 300_000 })
    const done = { ...draining, reason: 'drained' }
    expect(brief({ hosted: [process()], sessions: [done] })).toEqual(['end k1'])
  })

  test('are closed when they are stopped and nothing needs them', () => {
    expect(brief({ sessions: [session({ ...stopped, state: 'asleep' })] })).toEqual(['close mc-1'])
    expect(brief({ sessions: [session({ ...stopped, state: 'failed-create' })] })).toEqual(['close mc-1'])
  })
})

describe('held sessions', () => {
  test('are released when their quarantine ends', () => {
    const held = session({ ...stopped, state: 'quarantined', quarantinedUntil: NOW + 1 })
    expect(plan(snapshot({ sessions: [held] }))).toEqual({ actions: [], due: NOW + 1 })
    expect(brief({ sessions: [{ ...held, quarantinedUntil: NOW }] })).toEqual(['release mc-1'])
  })

  test('of a suspended agent are drained; a changed configuration never ends one at work', () => {
    const working = session({ work: ['w-1'] })
    const paused = agent({ suspended: true })
    expect(brief({ hosted: [process()], sessions: [working], agents: [paused] })).toEqual([
      'drain mc-1 agent-suspended',
    ])
    expect(brief({ hosted: [process()], sessions: [working], agents: [] })).toEqual([])
    expect(brief({ hosted: [process()], sessions: [session()], agents: [] })).toEqual(['drain mc-1 config-drift'])
  })
})

describe('a session that drains since its agent was suspended', () => {
  const draining = { hosted: [process()], sessions: [session({ state: 'draining', reason: 'agent-suspended' })] }

  test('ends, also while it asks', () => {
    const [asking] = draining.sessions.map((one) => ({ ...one, asking: true }))
    const agents = [agent({ suspended: true })]
    expect(brief({ ...draining, agents })).toEqual(['end k1'])
    expect(brief({ ...draining, agents, sessions: asking ? [asking] : [] })).toEqual(['end k1'])
  })

  test('continues once its agent and rig are resumed, which a drain on request does not', () => {
    expect(brief({ ...draining, agents: [agent()] })).toEqual(['undrain mc-1'])
    const held = session({ state: 'draining', reason: 'user-hold' })
    expect(brief({ ...draining, agents: [agent()], sessions: [held] })).toEqual(['end k1'])
    const rigs = new Map([['r', { suspended: true, maxActive: undefined }]])
    expect(brief({ ...draining, agents: [agent({ rig: 'r' })], rigs })).toEqual(['end k1'])
  })
})

describe('named sessions', () => {
  const mayor = agent({ name: 'mayor', maxActive: 1 })
  const named = [{ name: 'mayor', agent: 'mayor', mode: 'always' as const }]
  const own = session({ agent: 'mayor', origin: 'named', named: 'mayor', slot: undefined })

  test('that are always on are created once and kept up', () => {
    expect(brief({ agents: [mayor], named })).toEqual(['create mayor'])
    expect(brief({ agents: [mayor], named, hosted: [process()], sessions: [own] })).toEqual([])
    expect(brief({ agents: [mayor], named, sessions: [{ ...own, ...stopped, state: 'asleep' }] })).toEqual([
      'start mc-1',
    ])
    expect(brief({ agents: [mayor], named, sessions: [{ ...own, ...stopped, state: 'suspended' }] })).toEqual([])
  })

  test('on demand sleep until a message or work wakes them', () => {
    const onDemand = [{ name: 'mayor', agent: 'mayor', mode: 'on_demand' as const }]
    const asleep = { ...own, ...stopped, state: 'asleep' as const }
    expect(brief({ agents: [mayor], named: onDemand, sessions: [asleep] })).toEqual([])
    expect(brief({ agents: [mayor], named: onDemand, sessions: [{ ...asleep, messages: 1 }] })).toEqual(['start mc-1'])
    expect(brief({ agents: [mayor], named: onDemand, sessions: [{ ...asleep, work: ['w-1'] }] })).toEqual([
      'start mc-1',
    ])
  })
})

describe('agents that depend on others', () => {
  const base = agent({ name: 'base' })
  const top = agent({ name: 'top', dependsOn: ['base'], demand: demand('w-1') })
  const of = (name: string, over: Partial<SessionSnapshot> = {}) => session({ agent: name, id: `mc-${name}`, ...over })

  test('start those first, and start once they run', () => {
    expect(brief({ agents: [top, base] })).toEqual(['create base-1'])
    const pending = of('base', { ...stopped, state: 'start-pending' })
    expect(brief({ agents: [top, base], sessions: [pending] })).toEqual(['start mc-base'])
    const creating = of('base', { state: 'creating', busy: true })
    expect(brief({ agents: [top, base], sessions: [creating] })).toEqual([])
    expect(brief({ agents: [top, base], sessions: [of('base')], hosted: [process()] })).toEqual(['create top-1 w-1'])
  })

  test('keep them up for as long as they run themselves', () => {
    const idle = of('base', { wokeAt: NOW - IDLE_GRACE, quietSince: NOW - IDLE_GRACE })
    const working = of('top', { key: 'k2', pid: 11, work: ['w-1'] })
    const hosted = [process(), process({ key: 'k2', pid: 11 })]
    const calm = { ...top, demand: [] }
    expect(brief({ agents: [calm, base], sessions: [idle, working], hosted })).toEqual([])
    expect(brief({ agents: [calm, base], sessions: [idle], hosted: [process()] })).toEqual([
      'drain mc-base no-wake-reason',
    ])
  })

  test('do not wait for what cannot start', () => {
    expect(brief({ agents: [top, { ...base, suspended: true }] })).toEqual(['create top-1 w-1'])
    expect(brief({ agents: [top, { ...base, problem: 'no such program' }] })).toEqual(['create top-1 w-1'])
    expect(brief({ agents: [top] })).toEqual(['create top-1 w-1'])
  })
})

describe('a scale check', () => {
  test('asks for sessions beyond known work, within the limits', () => {
    expect(brief({ agents: [agent({ scaleTarget: 2 })] })).toEqual(['create worker-1', 'create worker-2'])
    expect(brief({ agents: [agent({ scaleTarget: 9 })] })).toHaveLength(3)
    const both = agent({ scaleTarget: 2, demand: demand('w-1') })
    expect(brief({ agents: [both] })).toEqual(['create worker-1 w-1', 'create worker-2'])
    expect(brief({ agents: [agent({ scaleTarget: 1 })], sessions: [session()], hosted: [process()] })).toEqual([])
  })
})

describe('an agent whose sessions exit immediately without work', () => {
  const lull = { idleBackoffUntil: NOW + 1000 }

  test('gets none for its minimum or scale check until the backoff is over', () => {
    const due = (one: AgentState) => plan(snapshot({ agents: [one] }))
    for (const demand of [{ minActive: 1 }, { scaleTarget: 1 }]) {
      expect(due(agent({ ...demand, ...lull }))).toEqual({ actions: [], due: NOW + 1000 })
      expect(brief({ agents: [agent({ ...demand, idleBackoffUntil: NOW })] })).toEqual(['create worker-1'])
    }
    const named = [{ name: 'mayor', agent: 'mayor', mode: 'always' as const }]
    expect(brief({ agents: [agent({ name: 'mayor', ...lull })], named })).toEqual([])
    expect(brief({ agents: [agent({ name: 'mayor' })], named })).toEqual(['create mayor'])
  })

  test('still gets sessions for waiting work', () => {
    const both = agent({ minActive: 1, ...lull, demand: demand('w-1') })
    expect(brief({ agents: [both] })).toEqual(['create worker-1 w-1'])
  })
})

describe('work for an agent that has only named sessions', () => {
  const mayor = agent({ name: 'mayor', maxActive: 1, demand: demand('w-1') })
  const named = [{ name: 'mayor', agent: 'mayor', mode: 'on_demand' as const }]
  const own = session({ agent: 'mayor', origin: 'named', named: 'mayor', slot: undefined })

  test('creates or wakes one of them, and no other', () => {
    expect(brief({ agents: [mayor], named })).toEqual(['create mayor'])
    expect(brief({ agents: [mayor], named, sessions: [{ ...own, ...stopped, state: 'asleep' }] })).toEqual([
      'start mc-1',
    ])
    expect(brief({ agents: [mayor], named, sessions: [own], hosted: [process()] })).toEqual([])
    expect(brief({ agents: [{ ...mayor, maxActive: 0 }], named })).toEqual(['create mayor'])
  })

  test('keeps it awake; without work it sleeps after a while', () => {
    const idle = { ...own, wokeAt: NOW - ON_DEMAND_IDLE, quietSince: NOW - ON_DEMAND_IDLE }
    expect(brief({ agents: [mayor], named, sessions: [idle], hosted: [process()] })).toEqual([])
    const calm = { ...mayor, demand: [] }
    expect(brief({ agents: [calm], named, sessions: [idle], hosted: [process()] })).toEqual(['drain mc-1 idle'])
    const always = [{ ...named[0], mode: 'always' as const, name: 'mayor', agent: 'mayor' }]
    expect(brief({ agents: [calm], named: always, sessions: [idle], hosted: [process()] })).toEqual([])
  })
})

describe('a session that a person started', () => {
  const chat = { idle: 60_000, grace: 600_000 }
  const manual = session({ origin: 'manual', slot: undefined, wokeAt: NOW - 600_000, quietSince: NOW - 60_000 })
  const run = (over: Partial<SessionSnapshot>, more = {}) =>
    brief({ chat, hosted: [process()], sessions: [{ ...manual, ...over }], ...more })

  test('sleeps once the configured idle time and its grace period are over', () => {
    expect(run({})).toEqual(['drain mc-1 idle'])
    expect(run({ agent: '' })).toEqual(['drain mc-1 idle'])
    expect(run({ quietSince: NOW - 59_000 })).toEqual([])
    expect(run({ wokeAt: NOW - 599_000 })).toEqual([])
    expect(run({ attached: true })).toEqual([])
    expect(run({}, { chat: { idle: undefined, grace: 0 } })).toEqual([])
  })
})

describe('a session whose declaration changed', () => {
  const idle = { wokeAt: NOW - IDLE_GRACE, quietSince: NOW - IDLE_GRACE, drift: ['command'] }
  const busyAgents = [agent({ minActive: 1 })]

  test('only in session_live is refreshed while it runs, even at work', () => {
    const run = (over: Partial<SessionSnapshot>) =>
      brief({ agents: busyAgents, hosted: [process()], sessions: [session({ ...over, drift: ['session_live'] })] })
    expect(run({})).toEqual(['refresh mc-1'])
    expect(run({ work: ['w-1'] })).toEqual(['refresh mc-1'])
    expect(run({ origin: 'manual' })).toContain('refresh mc-1')
    expect(run({ busy: true })).toEqual([])
    const both = session({ ...idle, drift: ['command', 'session_live'] })
    expect(brief({ agents: busyAgents, hosted: [process()], sessions: [both] })[0]).toBe('drain mc-1 config-drift')
  })

  test('is replaced once it is idle for a while, never at work', () => {
    const run = (over: Partial<SessionSnapshot>) =>
      brief({ agents: busyAgents, hosted: [process()], sessions: [session({ ...idle, ...over })] })
    expect(run({})).toEqual(['drain mc-1 config-drift'])
    expect(run({ work: ['w-1'] })).toEqual([])
    expect(run({ messages: 1 })).toEqual([])
    expect(run({ attached: true })).toEqual([])
    expect(run({ quietSince: NOW })).toEqual([])
    expect(run({ busyUntil: NOW + 1 })).toEqual([])
    expect(run({ origin: 'manual', slot: undefined })).toEqual(['create worker-1'])
  })
})

describe('an old session', () => {
  test('restarts at an age that differs from session to session', () => {
    const aging = agent({ minActive: 1, maxAge: 1000, maxAgeJitter: 1000 })
    const old = (jitter: number) =>
      plan(snapshot({ agents: [aging], hosted: [process()], sessions: [session({ jitter })] }))
    expect(old(0).due).toBe(NOW + 1000)
    expect(old(0.5).due).toBe(NOW + 1500)
    const now = session({ wokeAt: NOW - 1500, jitter: 0.5 })
    expect(brief({ agents: [aging], hosted: [process()], sessions: [now] })).toEqual(['drain mc-1 max-session-age'])
  })
})

describe('a session that reached a usage limit', () => {
  const exit = { how: 'exited', code: 1, limit: { until: undefined, text: 'no more' } } as const
  const held = { state: 'quarantined', reason: 'rate_limit', quarantinedUntil: NOW + 60_000 } as const

  test('is held until one of its logins has room, without counting as a failure', () => {
    const after = decideOutcome(session({ work: ['w-1'], limitedUntil: NOW + 60_000 }), exit, NOW)
    expect(after).toMatchObject(held)
    expect(after).toMatchObject({ crashed: false, blamedBeads: [], blamesAgent: false, failures: 0 })
    expect(decideOutcome(session({ state: 'creating', limitedUntil: NOW + 1 }), exit, NOW).state).toBe('quarantined')
    expect(decideOutcome(session({ state: 'draining', reason: 'drained' }), exit, NOW).state).toBe('closed')
  })

  test('continues immediately when another login has room', () => {
    expect(decideOutcome(session({ origin: 'named' }), exit, NOW)).toMatchObject({ state: 'asleep', restart: true })
    expect(decideOutcome(session(), exit, NOW)).toMatchObject({ state: 'asleep', restart: false })
  })

  test('is held for as long as its logins are, which may change', () => {
    const limited = (limitedUntil: number) => ({
      agents: [agent({ limitedUntil, demand: [{ bead: 'w-1', deaths: 0, until: 0 }] })],
      sessions: [session({ ...held, key: undefined })],
    })
    expect(plan(snapshot(limited(NOW + 5000)))).toEqual({ actions: [], due: NOW + 5000 })
    expect(brief(limited(NOW + 90_000))).toEqual([])
    expect(brief(limited(0))).toEqual(['release mc-1'])
  })

  test('is not replaced by others, and no one of its agent is started', () => {
    const limited = agent({ limitedUntil: NOW + 5000, demand: [{ bead: 'w-1', deaths: 0, until: 0 }] })
    expect(plan(snapshot({ agents: [limited] }))).toEqual({ actions: [], due: NOW + 5000 })
    const asleep = session({ state: 'asleep', key: undefined, wakeRequested: true })
    expect(brief({ agents: [limited], sessions: [asleep] })).toEqual([])
    expect(brief({ agents: [limited], sessions: [{ ...asleep, origin: 'manual' }] })).toEqual(['start mc-1'])
  })
})
