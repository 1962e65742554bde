import type { AgentResponse } from '../../src/agents/agents/index.ts'
import { attachTo } from './attach.ts'
import { copy } from './copy.ts'
import type { Action, Reach } from './page.ts'
import { slingText } from './sling-actions.ts'

type Verb = 'suspend' | 'resume' | 'restart'

function agentActions(name: string, isSuspended: boolean, session: string | undefined, skipReason: string): Action[] {
  return [
    attachTo(session, skipReason),
    isSuspended ? resume(name) : suspend(name),
    restart(name),
    slingText(name),
    copy('y', 'copy', 'its name', name),
  ]
}

/** Actions on an agent as the server lists it. */
export const actionsOfAgent = ({ name, suspended, running, session }: AgentResponse): Action[] =>
  agentActions(name, suspended, running ? session?.name : undefined, `${name} has no session that runs`)

/** Actions on all instances of a pool; attaches to a single running one. */
export function actionsOfPool(name: string, instances: readonly AgentResponse[]): Action[] {
  const [only, ...others] = instances.flatMap(({ running, session }) => (running && session ? [session.name] : []))
  const isSuspended = instances.every(({ suspended }) => suspended)
  const skipReason = only
    ? `${others.length + 1} sessions of ${name} run; enter opens the pool`
    : `no session of ${name} runs`
  return agentActions(name, isSuspended, others.length === 0 ? only : undefined, skipReason)
}

/** An agent is addressed by its folder and its name. */
export const splitAgent = (name: string): { dir: string; base: string } => {
  const at = name.lastIndexOf('/')
  return { dir: at < 0 ? '' : name.slice(0, at), base: name.slice(at + 1) }
}

/** An agent, or the whole pool, by its qualified name. */
export function readAgent({ city, subject, signal }: Reach): Promise<AgentResponse> {
  const { dir, base } = splitAgent(subject)
  const call = signal ? { signal } : {}
  if (dir === '') return city.call('GET ~/agent/{base}', { params: { base }, ...call })
  return city.call('GET ~/agent/{dir}/{base}', { params: { dir, base }, ...call })
}

async function act({ city }: Reach, name: string, action: Verb): Promise<void> {
  const { dir, base } = splitAgent(name)
  if (dir === '') await city.call('POST ~/agent/{base}/{action}', { params: { base, action } })
  else await city.call('POST ~/agent/{dir}/{base}/{action}', { params: { dir, base, action } })
}

const suspend = (name: string): Action => ({
  key: 'S',
  name: 'suspend',
  many: {},
  help: 'start no sessions of the agent until it is resumed',
  confirm: `Suspend the agent ${name}? Its sessions stop.`,
  run: async (reach) => {
    await act(reach, name, 'suspend')
    return { text: `${name} is suspended`, undo: resume(name) }
  },
})

const resume = (name: string): Action => ({
  key: 'S',
  name: 'resume',
  many: {},
  help: 'let the agent start sessions again',
  run: async (reach) => {
    await act(reach, name, 'resume')
    return { text: `${name} is resumed`, undo: suspend(name) }
  },
})

const restart = (name: string): Action => ({
  key: 'R',
  name: 'restart',
  many: {},
  help: 'end the sessions of the agent and start new ones',
  confirm: `Restart the agent ${name}? Its sessions stop immediately, in the middle of their work.`,
  run: async (reach) => {
    await act(reach, name, 'restart')
    return { text: `${name} is restarting` }
  },
})
