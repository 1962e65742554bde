import type { AgentResponse } from '../../src/agents/agents/index.ts'
import type { Status } from '../../src/city/status/index.ts'
import type { CityClient } from '../../src/client/client.ts'
import type { RigList } from '../../src/config/rig-api/index.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import type { ConvoyGetResponse } from '../../src/work/convoys/index.ts'
import type { SessionResponse } from '../../src/work/sessions/index.ts'
import { envelope } from './envelope.ts'

/** The keys that scripts of packs read in `--json`, beside those of the server. */

/** `gc rig list`: the city itself is among the rigs, as its headquarters. */
export async function rigListOutput(city: CityClient, list: RigList) {
  const [{ name, path, suspended }, { workspace }] = await Promise.all([city.call('GET ~'), city.call('GET ~/config')])
  const own = { name, path, prefix: workspace.prefix ?? '', hq: true, suspended, running: true, beads: 'initialized' }
  const rigs = list.items.map(({ running_count, ...rig }) => ({
    name: rig.name,
    path: rig.path,
    prefix: rig.prefix ?? '',
    ...(rig.default_branch && { default_branch: rig.default_branch }),
    hq: false,
    suspended: rig.suspended,
    running: running_count > 0,
    beads: 'initialized',
  }))
  const summary = {
    total: rigs.length,
    suspended: rigs.filter((rig) => rig.suspended).length,
    running: rigs.filter((rig) => rig.running).length,
  }
  return envelope({ city_path: path, city_name: name, rigs: [own, ...rigs], summary, ...list })
}

/** `gc session list`. */
export function sessionListOutput(
  list: { items: readonly SessionResponse[]; total: number },
  filters: { state?: string | undefined; template?: string | undefined },
) {
  const sessions = list.items.map((session) => ({
    ...session,
    state: session.state || 'closed',
    last_active: session.last_active ?? session.created_at,
    closed: session.state === '',
    name: session.alias ?? session.session_name,
    agent_name: session.template,
  }))
  const count = (state: string) => sessions.filter((session) => session.state === state).length
  const summary = {
    total: sessions.length,
    active: count('active'),
    suspended: count('suspended'),
    closed: count('closed'),
  }
  return envelope({ filters, sessions, summary, ...list })
}

/** `gc agent list`. */
export const agentListOutput = (list: { items: readonly AgentResponse[]; total: number }) =>
  envelope({ agents: list.items.map(toAgent), ...list })

function toAgent({ name, rig, provider, suspended, pool }: AgentResponse) {
  const base = name.slice(name.lastIndexOf('/') + 1)
  return {
    name: base,
    qualified_name: name,
    ...(rig && { dir: rig }),
    scope: rig ? 'rig' : 'city',
    ...(provider && { provider }),
    suspended,
    ...(pool && { pool_name: pool }),
    work_query: `gc hook ${name} --json`,
    sling_query: `gc sling ${name} {}`,
  }
}

/** `gc status`: lists of agents and rigs where the server has their numbers, which are in `summary`. */
export async function statusOutput(city: CityClient, { agents, rigs, agent_details, rig_details, ...status }: Status) {
  const { items } = await city.call('GET ~/rigs')
  const prefixes = new Map(items.map((rig) => [rig.name, rig.prefix]))
  return envelope({
    ...status,
    city_name: status.name,
    workspace: { name: status.name, path: status.path },
    city_path: status.path,
    controller: { running: true, mode: 'supervisor', status: status.suspended ? 'suspended' : 'running' },
    running: true,
    health: { usable: !status.partial, degraded: status.partial === true },
    agents: agent_details ?? [],
    rigs: (rig_details ?? []).map((rig) => ({ ...rig, prefix: prefixes.get(rig.name) ?? '' })),
    agent_details,
    rig_details,
    summary: {
      total_agents: agents.total,
      running_agents: agents.running,
      suspended_agents: agents.suspended,
      quarantined_agents: agents.quarantined,
      total_rigs: rigs.total,
      suspended_rigs: rigs.suspended,
      ...(status.session_counts_detail && {
        active_sessions: status.session_counts_detail.active,
        suspended_sessions: status.session_counts_detail.suspended,
      }),
    },
  })
}

/** The JSON of a command on a convoy: the action and the convoy. */
export const convoyActionOutput = (action: string, more: object) =>
  envelope({ command: `convoy.${action}`, action, ...more })

/** `gc convoy status`: the convoy, and its beads with the type by its other name. */
export function convoyStatusOutput({ convoy, children = [], ...response }: ConvoyGetResponse) {
  return envelope({
    ...response,
    ...(convoy && { convoy: { ...convoy, ...convoyTerms(convoy) } }),
    children: children.map((bead) => ({ ...bead, type: bead.issue_type })),
  })
}

/** True if a convoy is owned, and what else was agreed on it. */
export function convoyTerms({ labels = [], metadata = {} }: Bead) {
  const { 'convoy.owner': owner, 'convoy.merge': merge, 'convoy.notify': notify, target } = metadata
  const fields = {
    ...(owner && { owner }),
    ...(notify && { notify }),
    ...(merge && { merge }),
    ...(target && { target }),
  }
  return { owned: labels.includes('owned'), ...(Object.keys(fields).length > 0 && { fields }) }
}
