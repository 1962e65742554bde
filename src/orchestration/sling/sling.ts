import type { AgentConfig, CityConfig } from '../../config/city-config.ts'
import { AppError } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'
import type { Beads } from '../../work/beads/beads.ts'
import type { BeadChange } from '../../work/beads/draft.ts'
import type { Bead } from '../../work/beads/schema.ts'
import { type Convoys, OWNED } from '../../work/convoys/convoys.ts'
import { WorkKey } from '../../work/metadata.ts'
import { speaker } from '../../work/speaker.ts'
import { checkArguments } from './arguments.ts'
import { SLING_CROSS_RIG, SLING_MISSING_BEAD } from './errors.ts'
import type { SlingInputBody, SlingResponse, SlingText } from './schema.ts'
import { isPool, resolveTarget, type Target } from './target.ts'

/** What sling needs to know of who is suspended. */
export interface Suspended {
  isAgentSuspended(config: CityConfig, agent: AgentConfig): boolean
}

export interface SlingOptions {
  store: Store
  beads: Beads
  convoys: Convoys
  config: { readonly current: CityConfig }
  suspended: Suspended
}

/** What is never handed over as work. */
const RECORDS = new Set(['session', 'message', 'convoy', 'gate'])

/** Hands work to an agent: whichever of its sessions is free takes it. */
export class Sling {
  readonly #store: Store
  readonly #beads: Beads
  readonly #convoys: Convoys
  readonly #config: SlingOptions['config']
  readonly #suspended: Suspended

  constructor({ store, beads, convoys, config, suspended }: SlingOptions) {
    this.#store = store
    this.#beads = beads
    this.#convoys = convoys
    this.#config = config
    this.#suspended = suspended
  }

  /** All of it happens, or none. */
  async sling(caller: Caller, body: SlingInputBody): Promise<SlingResponse> {
    const config = this.#config.current
    const target = resolveTarget(config, body)
    const { bead, formula } = checkArguments(body, target, config.name)
    if (bead === undefined) throw noFormula(formula)
    if (!this.#beads.find(bead)) throw noBead(bead)
    if (formula !== undefined) throw noFormula(formula)
    return this.#store.write((tx) => this.#slung(tx, caller, bead, target, body))
  }

  /** Makes a bead of a text and hands it over: both, or nothing. */
  async slingText(caller: Caller, { title, description, ...rest }: SlingText): Promise<SlingResponse> {
    const config = this.#config.current
    const target = resolveTarget(config, rest)
    const rig = target.agent.dir ?? rest.rig ?? ''
    if (rig && !config.rigs.some(({ name }) => name === rig)) {
      throw new AppError('invalid-request', `rig ${rig} does not exist in this city`)
    }
    return this.#store.write((tx) => {
      const { id } = this.#beads.add(tx, { title, description, rig })
      const body = { ...rest, bead: id }
      const { formula } = checkArguments(body, target, config.name)
      if (formula !== undefined) throw noFormula(formula)
      return this.#slung(tx, caller, id, target, body)
    })
  }

  #slung(tx: Tx, caller: Caller, bead: string, target: Target, body: SlingInputBody): SlingResponse {
    const warnings = this.#route(tx, caller, bead, target, body)
    return {
      status: 'slung',
      target: target.agent.qualified,
      mode: 'direct',
      bead,
      ...(warnings.length > 0 && { warnings }),
    }
  }

  /** Routes a bead; returns what the caller should know. */
  #route(tx: Tx, caller: Caller, id: string, target: Target, body: SlingInputBody): string[] {
    const bead = this.#beads.find(id)
    if (!bead) throw noBead(id)
    this.#preflight(bead, target, body)
    const tracked = body.no_convoy || this.#convoys.of(id).length > 0
    if (isRouted(bead, target) && !body.reassign && tracked && !body.merge) return []
    const warnings = body.force ? [] : this.#warnings(bead, target, body)
    const by = this.#beads.sessionOf(caller)
    this.#beads.change(tx, id, routing(bead, target, body), { by })
    if (!tracked) {
      const labels = body.owned ? [OWNED] : []
      const draft = { title: `sling-${id}`, rig: this.#beads.rigOf(id), items: [id], labels }
      this.#convoys.begin(tx, speaker(caller, undefined), draft)
    }
    return warnings
  }

  #preflight(bead: Bead, { agent }: Target, { force }: SlingInputBody): void {
    if (RECORDS.has(bead.issue_type)) {
      throw new AppError('invalid-request', `bead ${bead.id} is a ${bead.issue_type}, which nobody works on`)
    }
    if (bead.status === 'closed') {
      throw new AppError('conflict-wrong-state', `bead ${bead.id} is closed: reopen it before handing it over`)
    }
    if (force) return
    const rig = this.#beads.rigOf(bead.id)
    if (agent.dir !== undefined && agent.dir !== rig) {
      const home = rig === '' ? 'the city' : `rig ${rig}`
      const message = `bead ${bead.id} belongs to ${home} and ${agent.qualified} to rig ${agent.dir}; force overrides this`
      throw new AppError(SLING_CROSS_RIG, message)
    }
    const cycle = this.#beads.cycle(bead.id)
    if (cycle) throw new AppError('invalid-request', `beads wait for each other: ${cycle.join(' → ')}`)
  }

  #warnings(bead: Bead, { agent, assignee }: Target, { reassign }: SlingInputBody): string[] {
    const warnings: string[] = []
    const route = bead.metadata?.[WorkKey.routedTo]
    if (this.#suspended.isAgentSuspended(this.#config.current, agent))
      warnings.push(`agent ${agent.qualified} is suspended`)
    if (agent.maxActive === 0) warnings.push(`agent ${agent.qualified} may have no sessions: its limit is 0`)
    if (agent.slingQuery) warnings.push(`the sling_query of ${agent.qualified} was not run; the bead is routed by gc`)
    if (route && route !== agent.qualified) warnings.push(`bead ${bead.id} was routed to ${route} before`)
    if (bead.assignee && bead.assignee !== assignee && !reassign) {
      warnings.push(`bead ${bead.id} stays assigned to ${bead.assignee}; reassign takes it away`)
    }
    return warnings
  }
}

/** Whether the bead is where it is wanted already. */
function isRouted(bead: Bead, { agent, assignee }: Target): boolean {
  if (assignee !== undefined) return bead.assignee === assignee
  const own = bead.assignee === undefined || bead.assignee === agent.qualified
  return (
    (bead.metadata?.[WorkKey.routedTo] === agent.qualified && own) ||
    (!isPool(agent) && bead.assignee === agent.qualified)
  )
}

function routing(bead: Bead, { agent, assignee }: Target, { merge, reassign }: SlingInputBody): BeadChange {
  const free = reassign && bead.assignee !== undefined
  return {
    metadata: {
      [WorkKey.routedTo]: agent.qualified,
      ...(merge && { [WorkKey.mergeStrategy]: merge }),
      ...(free && { [WorkKey.sessionId]: null, [WorkKey.sessionName]: null }),
    },
    ...(free && { assignee: '' }),
    ...(free && bead.status === 'in_progress' && { status: 'open' }),
    ...(assignee !== undefined && (free || !bead.assignee) && { assignee }),
  }
}

const noBead = (id: string): AppError => new AppError(SLING_MISSING_BEAD, `bead ${id} does not exist`)

const noFormula = (name = ''): AppError =>
  new AppError('formula-not-found', `formula ${name} does not exist in this city`)
