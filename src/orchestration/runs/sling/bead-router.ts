import type { AgentConfig } from '../../../config/agents/index.ts'
import type { CityConfig } from '../../../config/city/index.ts'
import { AppError } from '../../../core/errors.ts'
import type { Tx } from '../../../core/store/index.ts'
import { sessionOf } from '../../../http/actor-of.ts'
import type { Caller } from '../../../http/caller.ts'
import { type Bead, type BeadChange, type BeadRepository, isRecord } from '../../../work/beads/index.ts'
import { WITHOUT_SESSION } from '../../../work/claims/index.ts'
import { type Convoys, OWNED_LABEL } from '../../../work/convoys/index.ts'
import { WorkKey } from '../../../work/metadata.ts'
import { isPool, type Target } from '../../formulas/index.ts'
import { SLING_CROSS_RIG, SLING_MISSING_BEAD } from './errors.ts'
import type { SlingInputBody } from './schema.ts'

/** Knows which agents are suspended. */
export interface SuspendedAgents {
  isAgentSuspended(config: CityConfig, agent: AgentConfig): boolean
}

export interface BeadRouterOptions {
  beads: BeadRepository
  convoys: Convoys
  config: { readonly current: CityConfig }
  suspended: SuspendedAgents
}

/** Routing options of a request. */
export type RouteFlags = Pick<SlingInputBody, 'force' | 'reassign' | 'no_convoy' | 'owned' | 'merge'>

/** Routes beads to agents. */
export class BeadRouter {
  readonly #beads: BeadRepository
  readonly #convoys: Convoys
  readonly #config: BeadRouterOptions['config']
  readonly #suspended: SuspendedAgents

  constructor({ beads, convoys, config, suspended }: BeadRouterOptions) {
    this.#beads = beads
    this.#convoys = convoys
    this.#config = config
    this.#suspended = suspended
  }

  /** Throws `sling-missing-bead` when there is none. */
  get(id: string): Bead {
    const bead = this.#beads.find(id)
    if (!bead) throw new AppError(SLING_MISSING_BEAD, `bead ${id} does not exist`)
    return bead
  }

  /** Routes a bead; returns warnings for the caller. */
  route(tx: Tx, caller: Caller, id: string, target: Target, flags: RouteFlags): string[] {
    const bead = this.get(id)
    if (isRecord(bead.issue_type)) {
      throw new AppError('invalid-request', `bead ${bead.id} is a ${bead.issue_type}, which is not work`)
    }
    if (bead.issue_type === 'epic') {
      throw new AppError('invalid-request', `bead ${bead.id} is an epic: sling what it is made of, or a convoy of that`)
    }
    this.checkRoutable(bead, target, flags)
    const needsNoConvoy = flags.no_convoy || this.#convoys.convoysOf(id).length > 0
    if (isRouted(bead, target) && !flags.reassign && needsNoConvoy && !flags.merge) return []
    const warnings = flags.force ? [] : this.#routeWarnings(bead, target, flags)
    this.#beads.change(tx, id, routingChange(bead, target, flags), {
      session: sessionOf(caller, this.#config.current.name),
    })
    if (!needsNoConvoy) {
      const labels = flags.owned ? [OWNED_LABEL] : []
      this.#convoys.add(tx, { title: `sling-${id}`, rig: this.#beads.rigOf(id), items: [id], labels })
    }
    return warnings
  }

  /** Throws for a bead that is closed, of another rig than its target, or in a circle. */
  checkRoutable(bead: Bead, { agent }: Target, { force }: RouteFlags): void {
    if (bead.status === 'closed') {
      throw new AppError('conflict-wrong-state', `bead ${bead.id} is closed: reopen it before you sling it`)
    }
    if (force) return
    const rig = this.#beads.rigOf(bead.id)
    if (agent.dir !== undefined && agent.dir !== rig) {
      const owner = rig === '' ? 'the city' : `rig ${rig}`
      const message = `bead ${bead.id} belongs to ${owner} and ${agent.qualified} to rig ${agent.dir}; force overrides this`
      throw new AppError(SLING_CROSS_RIG, message)
    }
    const cycle = this.#beads.findCycle(bead.id)
    if (cycle) throw new AppError('invalid-request', `beads wait for each other: ${cycle.join(' → ')}`)
  }

  /** Possible reasons that an agent does no work. */
  agentWarnings(agent: AgentConfig): string[] {
    const warnings: string[] = []
    if (this.#suspended.isAgentSuspended(this.#config.current, agent))
      warnings.push(`agent ${agent.qualified} is suspended`)
    if (agent.maxActive === 0) warnings.push(`agent ${agent.qualified} may have no sessions: its limit is 0`)
    return warnings
  }

  #routeWarnings(bead: Bead, { agent, assignee }: Target, { reassign }: RouteFlags): string[] {
    const warnings = this.agentWarnings(agent)
    const route = bead.metadata?.[WorkKey.routedTo]
    if (route && route !== agent.qualified) warnings.push(`bead ${bead.id} was routed to ${route} before`)
    if (bead.assignee && bead.assignee !== assignee && !reassign) {
      warnings.push(`bead ${bead.id} stays assigned to ${bead.assignee}; reassign takes it away`)
    }
    return warnings
  }
}

/** True if the bead is routed to this target already. An agent with its own command decides this itself. */
export function isRouted(bead: Bead, { agent, assignee }: Target): boolean {
  if (assignee !== undefined) return bead.assignee === assignee
  const isFree = bead.assignee === undefined || bead.assignee === agent.qualified
  return (
    (bead.metadata?.[WorkKey.routedTo] === agent.qualified && isFree) ||
    (!isPool(agent) && bead.assignee === agent.qualified)
  )
}

function routingChange(bead: Bead, { agent, assignee }: Target, { merge, reassign }: RouteFlags): BeadChange {
  const unassigns = reassign && bead.assignee !== undefined
  return {
    metadata: {
      ...(agent.slingQuery === undefined && { [WorkKey.routedTo]: agent.qualified }),
      ...(merge && { [WorkKey.mergeStrategy]: merge }),
      ...(unassigns && WITHOUT_SESSION),
    },
    ...(unassigns && { assignee: '' }),
    ...(unassigns && bead.status === 'in_progress' && { status: 'open' }),
    ...(assignee !== undefined && (unassigns || !bead.assignee) && { assignee }),
  }
}
