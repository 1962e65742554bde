import type { AgentConfig, CityConfig } from '../../config/city-config.ts'
import { AppError } from '../../core/errors.ts'
import { withoutReplay } from '../../core/replays/replays.ts'
import type { Store, Tx } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { sessionOf } from '../../work/actor.ts'
import type { BeadChange } from '../../work/beads/draft.ts'
import { isRecord } from '../../work/beads/readiness.ts'
import type { BeadRepository } from '../../work/beads/repository.ts'
import type { Bead } from '../../work/beads/schema.ts'
import { WITHOUT_SESSION } from '../../work/claims/manager.ts'
import { type Convoys, OWNED_LABEL } from '../../work/convoys/convoys.ts'
import { WorkKey } from '../../work/metadata.ts'
import { isPool, resolveTarget, type Target } from '../routing/target.ts'
import { checkArguments } from './arguments.ts'
import { SLING_CROSS_RIG, SLING_MISSING_BEAD } from './errors.ts'
import type { SlingInputBody, SlingResponse, SlingText } from './schema.ts'

/** Knows which agents are suspended. */
export interface SuspendedAgents {
  isAgentSuspended(config: CityConfig, agent: AgentConfig): boolean
}

export interface SlingOptions {
  store: Store
  beads: BeadRepository
  convoys: Convoys
  config: { readonly current: CityConfig }
  suspended: SuspendedAgents
}

/** Routes work to an agent: whichever of its sessions is free claims it. */
export class Sling {
  readonly #store: Store
  readonly #beads: BeadRepository
  readonly #convoys: Convoys
  readonly #config: SlingOptions['config']
  readonly #suspended: SuspendedAgents

  constructor({ store, beads, convoys, config, suspended }: SlingOptions) {
    this.#store = store
    this.#beads = beads
    this.#convoys = convoys
    this.#config = config
    this.#suspended = suspended
  }

  /** Slings a bead: all of it happens, or nothing. */
  async sling(caller: Caller, body: SlingInputBody): Promise<SlingResponse> {
    const config = this.#config.current
    const target = resolveTarget(config, body)
    const { bead, formula } = checkArguments(body, target, config.name)
    if (bead === undefined) throw formulaNotFound(formula)
    if (!this.#beads.find(bead)) throw beadMissing(bead)
    return this.#store.write((tx) => this.#slingBead(tx, caller, bead, target, body), actorOf(caller))
  }

  /** Creates a bead and slings it: both happen, or nothing. */
  async slingText(
    caller: Caller,
    { title, description, ...rest }: SlingText,
    saveResponse = withoutReplay,
  ): Promise<SlingResponse> {
    const config = this.#config.current
    const target = resolveTarget(config, rest)
    const rig = target.agent.dir ?? rest.rig ?? ''
    if (rig && !config.rigs.some(({ name }) => name === rig)) {
      throw new AppError('invalid-request', `rig ${rig} does not exist in this city`)
    }
    return this.#store.write((tx) => {
      const { id } = this.#beads.add(tx, { title, description, rig })
      const body = { ...rest, bead: id }
      checkArguments(body, target, config.name)
      return saveResponse(tx, this.#slingBead(tx, caller, id, target, body))
    }, actorOf(caller))
  }

  #slingBead(tx: Tx, caller: Caller, bead: string, target: Target, body: SlingInputBody): SlingResponse {
    const warnings = this.#route(tx, caller, bead, target, body)
    return {
      status: 'slung',
      target: target.agent.qualified,
      mode: 'direct',
      bead,
      ...(warnings.length > 0 && { warnings }),
    }
  }

  /** Routes a bead; returns warnings for the caller. */
  #route(tx: Tx, caller: Caller, id: string, target: Target, body: SlingInputBody): string[] {
    const bead = this.#beads.find(id)
    if (!bead) throw beadMissing(id)
    this.#checkRoutable(bead, target, body)
    const needsNoConvoy = body.no_convoy || this.#convoys.convoysOf(id).length > 0
    if (isRouted(bead, target) && !body.reassign && needsNoConvoy && !body.merge) return []
    const warnings = body.force ? [] : this.#warnings(bead, target, body)
    const session = sessionOf(caller, this.#config.current.name)
    this.#beads.change(tx, id, routingChange(bead, target, body), { session })
    if (!needsNoConvoy) {
      const labels = body.owned ? [OWNED_LABEL] : []
      const draft = { title: `sling-${id}`, rig: this.#beads.rigOf(id), items: [id], labels }
      this.#convoys.add(tx, draft)
    }
    return warnings
  }

  #checkRoutable(bead: Bead, { agent }: Target, { force }: SlingInputBody): void {
    if (isRecord(bead.issue_type)) {
      throw new AppError('invalid-request', `bead ${bead.id} is a ${bead.issue_type}, which nobody works on`)
    }
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

  #warnings(bead: Bead, { agent, assignee }: Target, { reassign, no_formula }: SlingInputBody): string[] {
    const warnings: string[] = []
    const route = bead.metadata?.[WorkKey.routedTo]
    if (this.#suspended.isAgentSuspended(this.#config.current, agent))
      warnings.push(`agent ${agent.qualified} is suspended`)
    const formula = no_formula ? undefined : agent.defaultSlingFormula
    if (formula) warnings.push(`the default formula ${formula} was not run; the bead is routed as it is`)
    if (agent.maxActive === 0) warnings.push(`agent ${agent.qualified} may have no sessions: its limit is 0`)
    if (agent.slingQuery) warnings.push(`the sling_query of ${agent.qualified} was not run; the bead is routed by gc`)
    if (route && route !== agent.qualified) warnings.push(`bead ${bead.id} was routed to ${route} before`)
    if (bead.assignee && bead.assignee !== assignee && !reassign) {
      warnings.push(`bead ${bead.id} stays assigned to ${bead.assignee}; reassign takes it away`)
    }
    return warnings
  }
}

/** Whether the bead is routed to this target already. */
function isRouted(bead: Bead, { agent, assignee }: Target): boolean {
  if (assignee !== undefined) return bead.assignee === assignee
  const isFree = bead.assignee === undefined || bead.assignee === agent.qualified
  return (
    (bead.metadata?.[WorkKey.routedTo] === agent.qualified && isFree) ||
    (!isPool(agent) && bead.assignee === agent.qualified)
  )
}

function routingChange(bead: Bead, { agent, assignee }: Target, { merge, reassign }: SlingInputBody): BeadChange {
  const unassigns = reassign && bead.assignee !== undefined
  return {
    metadata: {
      [WorkKey.routedTo]: agent.qualified,
      ...(merge && { [WorkKey.mergeStrategy]: merge }),
      ...(unassigns && WITHOUT_SESSION),
    },
    ...(unassigns && { assignee: '' }),
    ...(unassigns && bead.status === 'in_progress' && { status: 'open' }),
    ...(assignee !== undefined && (unassigns || !bead.assignee) && { assignee }),
  }
}

const beadMissing = (id: string): AppError => new AppError(SLING_MISSING_BEAD, `bead ${id} does not exist`)

const formulaNotFound = (name = ''): AppError =>
  new AppError('formula-not-found', `formula ${name} does not exist in this city`)
