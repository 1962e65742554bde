import type { AgentResponse } from '../../src/agents/agents/schema.ts'
import { slingTo } from './city-actions.ts'
import { type Action, isOneOf, type Reach, table, whole } from './page.ts'
import { toneOf } from './tones.ts'

/** The agents of a city: idle instances of a pool are counted on the row of the pool. */
export const agentsPage = table<AgentResponse & { idle?: number }>({
  name: 'agents',
  title: 'agents',
  help: 'the agents that the city declares',
  empty: 'none declared: gc agent add NAME --provider claude',
  columns: [
    { title: 'agent', width: 12, grows: true, isName: true, cell: ({ name }) => name },
    { title: 'state', width: 11, cell: ({ state }) => ({ text: state, tone: toneOf(state) }) },
    { title: 'bead', width: 9, cell: ({ active_bead: bead, idle = 0 }) => bead ?? (idle > 1 ? `${idle} idle` : '') },
    { title: 'program', width: 10, leaves: 2, cell: ({ provider }) => ({ text: provider ?? '', tone: 'quiet' }) },
    { title: 'ctx', width: 4, leaves: 3, cell: ({ context_pct: used }) => (used === undefined ? '' : `${used}%`) },
    {
      title: 'why',
      width: 12,
      grows: true,
      leaves: 1,
      cell: ({ unavailable_reason: why }) => ({ text: why ?? '', tone: 'bad' }),
    },
  ],
  idOf: ({ name }) => name,
  isChangedBy: isOneOf('agent.', 'session.', 'bead.', 'config.'),
  opens: ({ session }, city) => session && { page: 'session', city, subject: session.name },
  load: async ({ city, signal }) => {
    const { items } = await city.call('GET ~/agents', { ...(signal && { signal }) })
    return whole(foldPools(items))
  },
  actionsOf: (agent) => [agent.suspended ? resume(agent.name) : suspend(agent.name), slingTo(agent.name)],
})

/** One row for all instances of a pool that do nothing. */
export function foldPools(agents: readonly AgentResponse[]): (AgentResponse & { idle?: number })[] {
  const isIdle = ({ pool, running, active_bead, available }: AgentResponse) =>
    pool !== undefined && !running && active_bead === undefined && available
  const idle = new Map<string, number>()
  for (const agent of agents) if (isIdle(agent)) idle.set(agent.pool ?? '', (idle.get(agent.pool ?? '') ?? 0) + 1)
  const shown = new Set<string>()
  return agents.flatMap((agent) => {
    if (!isIdle(agent)) return [agent]
    const pool = agent.pool ?? ''
    if (shown.has(pool)) return []
    shown.add(pool)
    return [{ ...agent, name: pool, idle: idle.get(pool) ?? 0 }]
  })
}

async function act({ city }: Reach, name: string, action: 'suspend' | 'resume'): Promise<void> {
  const at = name.lastIndexOf('/')
  const base = name.slice(at + 1)
  if (at < 0) await city.call('POST ~/agent/{base}/{action}', { params: { base, action } })
  else await city.call('POST ~/agent/{dir}/{base}/{action}', { params: { dir: name.slice(0, at), base, action } })
}

const suspend = (name: string): Action => ({
  key: 'S',
  name: 'suspend',
  help: 'start no sessions of the agent until it is resumed',
  confirm: `Suspend the agent ${name}? Its sessions are ended.`,
  run: async (reach) => {
    await act(reach, name, 'suspend')
    return { text: `${name} is suspended`, undo: resume(name) }
  },
})

const resume = (name: string): Action => ({
  key: 'S',
  name: 'resume',
  help: 'let the agent start sessions again',
  run: async (reach) => {
    await act(reach, name, 'resume')
    return { text: `${name} is resumed` }
  },
})
