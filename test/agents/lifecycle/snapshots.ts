import { decideOutcome, type ProcessExit } from '../../../src/agents/lifecycle/plan/exit-rules.ts'
import type {
  AgentState,
  CitySnapshot,
  NamedSessionState,
  ProcessState,
  ReconcileAction,
  ScopeState,
  SessionSnapshot,
} from '../../../src/agents/lifecycle/plan/snapshot.ts'
import { type Command, type SessionState, TRANSITIONS } from '../../../src/work/sessions/transitions.ts'

/** Pseudo-random numbers by seed. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const STATES: SessionState[] = [
  'start-pending',
  'creating',
  'active',
  'asleep',
  'suspended',
  'quarantined',
  'draining',
  'archived',
  'failed-create',
]

/** A random snapshot, consistent only in what the database guarantees. */
export function randomSnapshot(roll: () => number): CitySnapshot {
  const chance = (p: number) => roll() < p
  const pick = <T>(of: readonly T[]): T => of[Math.floor(roll() * of.length)] as T
  const now = 1_000_000
  const randomTime = () => pick([0, now - 400_000, now - 61_000, now - 1, now, now + 5_000])
  const scope = (): ScopeState => ({ suspended: chance(0.1), maxActive: pick([undefined, undefined, 0, 1, 2, 5]) })
  const agents = ['a', 'r/b', 'r/c'].map(
    (name): AgentState => ({
      name,
      rig: name.includes('/') ? 'r' : '',
      suspended: chance(0.1),
      blocked: chance(0.05),
      minActive: pick([0, 0, 0, 1, 2]),
      maxActive: pick([undefined, 0, 1, 1, 2, 3]),
      startupTimeout: pick([60_000, 600_000]),
      problem: chance(0.1) ? 'no such program' : undefined,
      retryAt: chance(0.1) ? now + 3_000 : 0,
      drainTimeout: 300_000,
      driftDrainTimeout: 120_000,
      sleepAfterIdle: pick([undefined, undefined, 10_000]),
      idleTimeout: pick([undefined, undefined, 10_000]),
      maxAge: pick([undefined, undefined, 100_000]),
      maxAgeJitter: pick([0, 0, 50_000]),
      dependsOn: ['gone', 'a', 'r/b', 'r/c'].filter((on) => (on < name || on === 'gone') && chance(0.2)),
      scaleTarget: pick([0, 0, 0, 1, 3]),
      demand: Array.from({ length: Math.floor(roll() * 5) }, (_, at) => ({
        bead: `${name}-w${at}`,
        deaths: pick([0, 0, 0, 1, 4, 5, 6]),
        until: pick([0, 0, 0, now + 2_000]),
      })),
    }),
  )
  const named: NamedSessionState[] = chance(0.5)
    ? ['n', 'm'].map((name) => ({
        name,
        agent: pick(['a', 'r/b', 'gone']),
        mode: pick(['always', 'on_demand'] as const),
      }))
    : []
  const sessions: SessionSnapshot[] = []
  const hosted = new Map<string, ProcessState>()
  for (let at = 0; at < Math.floor(roll() * 8); at++) {
    const session = anySession(at, agents, sessions, { chance, pick, roll, randomTime, now })
    sessions.push(session)
    if (session.key && chance(0.8)) hosted.set(session.key, anyProcess(session, { chance, pick }))
  }
  if (chance(0.2)) hosted.set('stray', { key: 'stray', pid: 9, startedAt: 's', exit: undefined })
  return {
    now,
    city: scope(),
    wakes: pick([0, 1, 5]),
    chat: { idle: pick([undefined, 10_000]), grace: pick([0, 600_000]) },
    rigs: new Map([['r', scope()]]),
    agents,
    named,
    sessions,
    hosted,
  }
}

interface Luck {
  chance(p: number): boolean
  pick<T>(of: readonly T[]): T
}

function anySession(
  at: number,
  agents: readonly AgentState[],
  others: readonly SessionSnapshot[],
  { chance, pick, roll, randomTime, now }: Luck & { roll(): number; randomTime(): number; now: number },
): SessionSnapshot {
  const state = pick(STATES)
  const origin = pick(['manual', 'named', 'ephemeral', 'ephemeral'] as const)
  const agent = chance(0.05) ? 'gone' : (agents[at % agents.length]?.name ?? 'a')
  const up = state === 'active' || state === 'draining' || state === 'creating'
  const key = up || chance(0.2) ? `k${at}` : undefined
  const pid = key && state !== 'creating' ? at + 100 : undefined
  const slot =
    origin === 'ephemeral' ? others.filter((other) => other.agent === agent && other.slot).length + 1 : undefined
  return {
    id: `s${at}`,
    agent,
    origin,
    named: origin === 'named' ? ['n', 'm'].find((name) => !others.some(({ named }) => named === name)) : undefined,
    slot,
    state,
    reason: pick(['', '', 'drained', 'idle-timeout', 'user-hold', 'agent-suspended']),
    key,
    pid,
    processStarted: pid === undefined ? undefined : 's',
    wokeAt: pick([0, now - 1_000, now - 100_000, now - 1_000_000]),
    drainAt: randomTime(),
    retryAt: pick([0, 0, now + 1_000]),
    quarantinedUntil: randomTime(),
    failures: pick([0, 0, 4]),
    churn: pick([0, 0, 2]),
    wakeRequested: chance(0.2),
    work: chance(0.3) ? [`w${at}`] : [],
    worked: chance(0.3),
    createdFor: chance(0.3) ? `${agent}-w0` : undefined,
    leftUnclaimed: chance(0.3),
    fromScaleCheck: chance(0.1),
    resumed: chance(0.1),
    limitedUntil: 0,
    answered: false,
    crashHoldUntil: chance(0.1) ? now + 9_000 : 0,
    messages: chance(0.15) ? 1 : 0,
    attached: chance(0.1),
    asking: chance(0.1),
    askedUntil: 0,
    quietSince: randomTime(),
    busyUntil: chance(0.1) ? randomTime() : 0,
    drift: pick([...Array<string[]>(9).fill([]), ['command'], ['session_live'], ['command', 'session_live']]),
    jitter: roll(),
    busy: chance(0.1),
  }
}

function anyProcess(session: SessionSnapshot, { chance, pick }: Luck): ProcessState {
  const exit: ProcessExit | undefined = chance(0.2)
    ? pick([
        { how: 'exited', code: 0 },
        { how: 'exited', code: 1 },
        { how: 'signalled', signal: 'SIGKILL' },
      ])
    : undefined
  return { key: session.key ?? '', pid: session.pid ?? 7, startedAt: chance(0.9) ? 's' : 'other', exit }
}

/** The snapshot after all actions succeeded, with no time passed. */
export function execute(before: CitySnapshot, actions: readonly ReconcileAction[]): CitySnapshot {
  const sessions = new Map(before.sessions.map((session) => [session.id, { ...session }]))
  const hosted = new Map(before.hosted ?? [])
  let agents = before.agents
  for (const action of actions) {
    const session = 'session' in action && action.session !== undefined ? sessions.get(action.session) : undefined
    if (action.do === 'create') create(sessions, action, before.now)
    if (action.do === 'park')
      agents = agents.map((agent) => ({ ...agent, demand: agent.demand.filter(({ bead }) => bead !== action.bead) }))
    if (action.do === 'end') hosted.delete(action.key)
    if (!session) continue
    if (action.do === 'start') start(session, hosted, before.now)
    if (action.do === 'adopt')
      move(session, 'ready', {
        pid: action.pid,
        processStarted: action.startedAt,
        wokeAt: before.now,
        wakeRequested: false,
      })
    if (action.do === 'drain') move(session, 'drain', { reason: action.reason, drainAt: before.now })
    if (action.do === 'undrain') move(session, 'undrain', { reason: '', drainAt: 0 })
    if (action.do === 'refresh') session.drift = []
    if (action.do === 'release') move(session, 'release', { reason: '' })
    if (action.do === 'close') move(session, 'close', {})
    if (action.do === 'end') recordExit(session, { how: 'lost' }, before.now)
    if (action.do === 'record-exit') {
      hosted.delete(action.key)
      recordExit(session, action.exit, before.now)
    }
  }
  const live = [...sessions.values()].filter(({ state, key }) => state !== 'closed' || key)
  return { ...before, agents, sessions: live, hosted }
}

function move(session: SessionSnapshot, command: Command, change: Partial<SessionSnapshot>): void {
  const { from, to } = TRANSITIONS[command]
  if (!from.includes(session.state)) throw new Error(`${session.id}: ${session.state} does not accept ${command}`)
  Object.assign(session, change, { state: to })
}

function start(session: SessionSnapshot, hosted: Map<string, ProcessState>, now: number): void {
  if (session.key) throw new Error(`${session.id} was started while it runs`)
  const key = `${session.id}-again`
  move(session, 'begin', { key, reason: '' })
  move(session, 'ready', {
    pid: 1000,
    processStarted: 's',
    wokeAt: now,
    quietSince: now,
    wakeRequested: false,
    drift: [],
  })
  hosted.set(key, { key, pid: 1000, startedAt: 's', exit: undefined })
}

function recordExit(session: SessionSnapshot, exit: ProcessExit, now: number): void {
  const after = decideOutcome(session, exit, now)
  Object.assign(session, {
    state: after.state,
    reason: after.reason,
    retryAt: after.retryAt,
    quarantinedUntil: after.quarantinedUntil,
    failures: after.failures,
    churn: after.churn,
    wakeRequested: session.wakeRequested || after.restart,
    key: undefined,
    pid: undefined,
    processStarted: undefined,
  })
}

function create(
  sessions: Map<string, SessionSnapshot>,
  action: Extract<ReconcileAction, { do: 'create' }>,
  now: number,
): void {
  let id = `new${sessions.size}`
  while (sessions.has(id)) id += '+'
  sessions.set(id, {
    id,
    agent: action.agent,
    origin: action.named === undefined ? 'ephemeral' : 'named',
    named: action.named,
    slot: action.slot,
    state: 'start-pending',
    reason: '',
    key: undefined,
    pid: undefined,
    processStarted: undefined,
    wokeAt: 0,
    drainAt: 0,
    retryAt: 0,
    quarantinedUntil: 0,
    failures: 0,
    churn: 0,
    wakeRequested: false,
    work: [],
    worked: false,
    createdFor: action.work,
    leftUnclaimed: true,
    fromScaleCheck: false,
    resumed: false,
    limitedUntil: 0,
    answered: false,
    crashHoldUntil: 0,
    messages: 0,
    attached: false,
    asking: false,
    askedUntil: 0,
    quietSince: now,
    busyUntil: 0,
    drift: [],
    jitter: 0.5,
    busy: false,
  })
}
