import type { AgentResponse } from '../../src/agents/agents/index.ts'
import { actionsOfAgent, actionsOfPool, readAgent } from './agent-actions.ts'
import { type Cell, type Columns, isOneOf, type Line, table, whole } from './page.ts'
import { toneOf } from './tones.ts'
import { readUnconfined, unconfinedCell } from './unconfined.ts'

/** An agent, or all instances of a pool as one. */
interface AgentRow {
  readonly name: string
  readonly agent: AgentResponse
  /** The instances of the pool; empty for an agent that is not a pool. */
  readonly instances: readonly AgentResponse[]
}

/** Number of its sessions without the sandbox they should have. */
interface Listed extends AgentRow {
  readonly unconfined: number
}

/** Columns of a list of agents and of instances of pools. */
export const agentColumns = {
  agent: { title: 'agent', width: 14, grows: true, isName: true, cell: ({ name }) => name },
  state: { title: 'state', width: 11, cell: ({ state }) => ({ text: state, tone: toneOf(state) }) },
  program: {
    ...{ title: 'program', header: 'PROVIDER', width: 10, leaves: 4, yields: true },
    cell: ({ display_name: shown, provider = '' }) => ({ text: shown ?? provider, tone: 'quiet' }),
  },
  session: { title: 'session', width: 14, leaves: 2, isName: true, cell: ({ session }) => session?.name },
  bead: { title: 'bead', header: 'WORK', width: 12, cell: ({ active_bead }) => active_bead },
  context: {
    ...{ title: 'ctx', width: 4, leaves: 3 },
    cell: ({ context_pct: used }) => (used === undefined ? '' : `${used}%`),
  },
  why: {
    ...{ title: 'why', width: 12, grows: true, leaves: 1 },
    cell: ({ unavailable_reason: reason = '' }) => ({ text: reason, tone: 'bad' }),
  },
} satisfies Columns<AgentResponse>

/** The agents of a city; a pool is one line that opens. */
export const agentsPage = table<Listed>({
  name: 'agents',
  title: 'agents',
  help: 'the agents that the city declares',
  empty: 'none declared: gc agent add NAME --provider claude',
  columns: [
    { title: 'agent', width: 12, grows: true, isName: true, cell: ({ name }) => name },
    { title: 'state', width: 17, cell: (row) => stateOf(row) },
    {
      title: 'confined',
      width: 8,
      leaves: 1,
      cell: ({ instances, unconfined: count }) => confinedCell(count, instances),
    },
    {
      title: 'bead',
      width: 9,
      leaves: 4,
      cell: ({ agent, instances }) => (instances.length > 0 ? '' : agent.active_bead),
    },
    { ...agentColumns.program, cell: ({ agent }) => agentColumns.program.cell(agent) },
    { ...agentColumns.context, cell: ({ agent }) => agentColumns.context.cell(agent) },
    { title: 'why', width: 12, grows: true, leaves: 1, cell: (row) => ({ text: reasonOf(row), tone: 'bad' }) },
  ],
  idOf: ({ name }) => name,
  isChangedBy: isOneOf('agent.', 'session.', 'bead.', 'config.', 'attention.'),
  opens: ({ name, instances }, city) => ({ page: instances.length > 0 ? 'pool' : 'agent', city, subject: name }),
  load: async (reach) => {
    const { city, signal } = reach
    const [{ items }, unconfined] = await Promise.all([
      city.call('GET ~/agents', { ...(signal && { signal }) }),
      readUnconfined(reach),
    ])
    const counts = Map.groupBy(unconfined, ({ template }) => template)
    return whole(foldPools(items).map((row) => ({ ...row, unconfined: counts.get(row.name)?.length ?? 0 })))
  },
  actionsOf: ({ name, agent, instances }) =>
    instances.length > 0 ? actionsOfPool(name, instances) : actionsOfAgent(agent),
})

/** The instances of one pool. */
export const poolPage = table<AgentResponse & { readonly isUnconfined: boolean }>({
  name: 'pool',
  about: 'pool',
  title: 'instances',
  help: 'the instances of a pool',
  empty: 'it has no instance: `max_active_sessions` of the agent says how many it may have',
  columns: [
    agentColumns.agent,
    agentColumns.state,
    agentColumns.session,
    { title: 'confined', width: 8, leaves: 1, cell: ({ isUnconfined }) => unconfinedCell(isUnconfined) },
    agentColumns.bead,
    agentColumns.context,
    agentColumns.why,
  ],
  idOf: ({ name }) => name,
  isChangedBy: isOneOf('agent.', 'session.', 'bead.', 'config.', 'attention.'),
  opens: ({ name, session }, city) =>
    session ? { page: 'session', city, subject: session.name } : { page: 'agent', city, subject: name },
  load: async (reach) => {
    const { city, subject: pool, signal } = reach
    const [{ items }, { idle_reason: idle }, unconfined] = await Promise.all([
      city.call('GET ~/agents', { query: { pool }, ...(signal && { signal }) }),
      readAgent(reach),
      readUnconfined(reach),
    ])
    const head: Line[] = idle ? [{ text: `idle: ${idle}`, tone: 'warning' }] : []
    const free = new Set(unconfined.map(({ session_name }) => session_name))
    const listed = items.map((agent) => ({ ...agent, isUnconfined: free.has(agent.session?.name ?? '') }))
    return { ...whole(listed.sort((a, b) => Number(b.running) - Number(a.running))), head }
  },
  actionsOf: (agent) => actionsOfAgent(agent),
})

/** One row for all instances of a pool, where its first instance is. */
export function foldPools(agents: readonly AgentResponse[]): AgentRow[] {
  const pools = Map.groupBy(agents, ({ pool }) => pool ?? '')
  const shown = new Set<string>()
  return agents.flatMap((agent) => {
    const { pool } = agent
    if (pool === undefined) return [{ name: agent.name, agent, instances: [] }]
    if (shown.has(pool)) return []
    shown.add(pool)
    return [{ name: pool, agent, instances: pools.get(pool) ?? [] }]
  })
}

const stateOf = ({ agent, instances }: AgentRow): Cell =>
  instances.length === 0 ? { text: agent.state, tone: toneOf(agent.state) } : poolState(instances)

/** `no`, or of a pool how many are not. */
const confinedCell = (count: number, instances: readonly AgentResponse[]): Cell =>
  instances.length > 0 && count > 0 ? { text: `${count} not`, tone: 'bad' } : unconfinedCell(count > 0)

/** `38/40 · 2 waiting`. */
export function poolState(instances: readonly AgentResponse[]): Cell {
  const count = (state: string) => instances.filter((each) => each.state === state).length
  const running = instances.filter((each) => each.running).length
  const waiting = count('waiting')
  const held = count('suspended') + count('quarantined')
  const parts = [`${running}/${instances.length}`, waiting > 0 && `${waiting} waiting`, held > 0 && `${held} held`]
  const tone = held > 0 || waiting > 0 ? 'warning' : running > 0 ? 'good' : 'quiet'
  return { text: parts.filter(Boolean).join(' · '), tone }
}

const reasonOf = ({ agent, instances }: AgentRow): string =>
  agent.unavailable_reason ?? instances.find((each) => each.unavailable_reason)?.unavailable_reason ?? ''
