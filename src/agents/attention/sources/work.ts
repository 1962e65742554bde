import type { AgentConfig } from '../../../config/agents/index.ts'
import type { CityConfig } from '../../../config/city/index.ts'
import type { Suspensions } from '../../../config/suspensions/index.ts'
import type { AttentionEntry, AttentionSource } from '../../../core/attention.ts'
import type { CityContext } from '../../../core/city-context.ts'
import type { Deadline } from '../../../core/deadlines.ts'
import { unsubscriber } from '../../../core/signal.ts'
import { PRESETS } from '../../../programs/presets.ts'
import type { LaunchPlanner } from '../../launch/index.ts'
import type { WaitingWork } from '../../lifecycle/index.ts'

/** Work is looked at so long after a bead changed: who creates a bead may be about to route it. */
const SETTLING_MS = 750

/** Work that no one can take as things are, and agents that cannot be started though they are wanted. */
export class WorkAttention implements AttentionSource {
  readonly name = 'work'

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      config: { readonly current: CityConfig; onChange(listener: () => void): () => void }
      suspensions: Pick<Suspensions, 'isSuspended' | 'isCitySuspended' | 'onChange'>
      launchPlanner: Pick<LaunchPlanner, 'problem' | 'providerOf'>
      work: Pick<WaitingWork, 'routes' | 'unrouted'>
    },
  ) {}

  items(): AttentionEntry[] {
    const { config, suspensions, work } = this.peers
    const { current } = config
    const routes = work.routes()
    const agents = new Map(current.agents.map((agent) => [agent.qualified, agent]))
    const isCitySuspended = suspensions.isCitySuspended(current)
    return [
      ...this.#unroutedItems(),
      ...(isCitySuspended && routes.size > 0 ? [citySuspended(current.name)] : []),
      ...[...routes].flatMap(([route, bead]) => {
        const agent = agents.get(route)
        if (!agent) return [unknownAgent(route, bead)]
        return isCitySuspended ? [] : this.#agentItems(agent, bead)
      }),
      ...current.agents
        .filter(({ qualified, minActive }) => minActive > 0 && !routes.has(qualified))
        .flatMap((agent) => (isCitySuspended || this.#suspension(agent) ? [] : this.#problemItems(agent, undefined))),
    ]
  }

  onChange(listener: () => void): () => void {
    const { log, deadlines } = this.context
    const { config, suspensions } = this.peers
    let waiting: Deadline | undefined
    const onBead = () => {
      waiting ??= deadlines.after(SETTLING_MS, () => {
        waiting = undefined
        listener()
      })
    }
    return unsubscriber(
      () => waiting?.cancel(),
      config.onChange(listener),
      suspensions.onChange(listener),
      log.subscribe(({ type }) => {
        if (type.startsWith('bead.')) onBead()
      }),
    )
  }

  #unroutedItems(): AttentionEntry[] {
    const beads = this.peers.work.unrouted()
    const [first] = beads
    if (first === undefined) return []
    const asks =
      beads.length === 1
        ? `Bead ${first} is ready, and is routed to no agent.`
        : `${beads.length} beads are ready and routed to no agent, such as ${first}.`
    return [{ id: 'unrouted:city', kind: 'unrouted', asks, to_do: `gc sling <agent> ${first}` }]
  }

  #agentItems(agent: AgentConfig, bead: string): AttentionEntry[] {
    const suspension = this.#suspension(agent)
    return suspension ? [suspension(bead)] : this.#problemItems(agent, bead)
  }

  /** Suspension that blocks an agent: its own or that of its rig. */
  #suspension({ qualified, suspended, dir }: AgentConfig): ((bead: string) => AttentionEntry) | undefined {
    const { suspensions, config } = this.peers
    const entry =
      (what: string, name: string, kind: 'rig' | 'agent') =>
      (bead: string): AttentionEntry => ({
        ...{ id: `suspended:${kind}:${name}`, kind: 'suspended', agent: qualified, bead_id: bead },
        asks: `${what} is suspended, and work waits for it, such as bead ${bead}.`,
        to_do: `gc ${kind} resume ${name}`,
      })
    if (suspensions.isSuspended('agent', qualified, suspended)) return entry(`Agent ${qualified}`, qualified, 'agent')
    const rig = config.current.rigs.find(({ name }) => name === dir)
    const isRigSuspended = rig && suspensions.isSuspended('rig', rig.name, rig.suspendedOnStart)
    return isRigSuspended ? entry(`Rig ${rig.name}`, rig.name, 'rig') : undefined
  }

  #problemItems(agent: AgentConfig, bead: string | undefined): AttentionEntry[] {
    const problem = this.#problemOf(agent)
    if (!problem) return []
    const { reason, to_do } = problem
    const { qualified } = agent
    const waits = bead === undefined ? '' : `, and work waits for it, such as bead ${bead}`
    const asks = `Agent ${qualified} cannot be started${waits}: ${reason}`
    return [
      {
        ...{ id: `cannot-start:${qualified}`, kind: 'cannot-start', agent: qualified, asks, to_do },
        ...(bead !== undefined && { bead_id: bead }),
      },
    ]
  }

  #problemOf(agent: AgentConfig): { reason: string; to_do: string } | undefined {
    const { launchPlanner } = this.peers
    const { qualified, maxActive } = agent
    const reason = launchPlanner.problem(agent)
    if (reason !== undefined) return { reason, to_do: this.#remedyOf(agent) }
    if (maxActive !== 0) return undefined
    return { reason: 'its max_active_sessions is 0', to_do: `raise max_active_sessions of ${qualified}` }
  }

  /** The line that installs its program, where that is what it lacks. */
  #remedyOf(agent: AgentConfig): string {
    const preset = this.#presetOf(agent)
    const line = preset === undefined ? undefined : PRESETS.get(preset)?.install
    return line ?? `correct what city.toml says of ${agent.qualified}`
  }

  #presetOf(agent: AgentConfig): string | undefined {
    try {
      return this.peers.launchPlanner.providerOf(agent)?.ancestor
    } catch {
      return undefined
    }
  }
}

const citySuspended = (city: string): AttentionEntry => ({
  ...{ id: 'suspended:city', kind: 'suspended', to_do: `gc city resume ${city}` },
  asks: 'The city is suspended, and work waits for its agents.',
})

const unknownAgent = (route: string, bead: string): AttentionEntry => ({
  ...{ id: `unknown-agent:${route}`, kind: 'unknown-agent', agent: route, bead_id: bead },
  asks: `Work is routed to ${route}, which is not an agent of the city, such as bead ${bead}.`,
  to_do: `gc sling <agent> ${bead}, or add the agent ${route}`,
})
