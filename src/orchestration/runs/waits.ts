import type { CityConfig } from '../../config/city/index.ts'
import type { Suspensions } from '../../config/suspensions/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { query, stablePlan } from '../../core/store/index.ts'
import type { Bead, BeadRepository } from '../../work/beads/index.ts'
import { EngineKey, WorkflowKey, WorkKey } from '../../work/metadata.ts'
import { parseGate } from '../gates/index.ts'
import type { RunHold, RunHolds } from './holds.ts'
import { guardedStep, metadataValue } from './node.ts'
import { isFinal, type RunRepository } from './repository.ts'
import type { RunProgress, RunWait } from './timeline-schema.ts'

/** A check of a step that should be run, or runs since then. */
export interface CheckUnderWay {
  controlId: string
  startedAt: number | null
}

interface WaitsOptions {
  config: { readonly current: CityConfig }
  beads: BeadRepository
  runs: RunRepository
  holds: RunHolds
  /** The checks of a run that are not over. */
  checksOf(root: string): CheckUnderWay[]
  suspensions: Pick<Suspensions, 'holdOf'>
  agents: AgentAvailability
}

/** Knows what keeps agents from taking up work. */
export interface AgentAvailability {
  hindrance(agent: string): string | undefined
}

const MAX_WAITS = 20

const LIVE = query<{ id: string }, [string, number]>(
  stablePlan(`SELECT id FROM beads WHERE root_id = ? AND root_id IS NOT NULL AND status IN ('in_progress', 'open')
       AND status != 'closed' AND blockers = 0 AND workable = 1 ORDER BY status, id LIMIT ?`),
)

/** Reasons that runs wait, in sentences. */
export class RunWaits {
  constructor(
    private readonly context: CityContext,
    private readonly options: WaitsOptions,
  ) {}

  progress(id: string): RunProgress {
    const { state, parentId, errorMessage: failure } = this.options.runs.get(id)
    const waits = isFinal(state) ? [] : [...this.#waits(id)].slice(0, MAX_WAITS)
    const [first] = waits
    const part = parentId !== null && { part_of: { run_id: parentId, member_id: this.#memberOf(id) } }
    return {
      run_id: id,
      status: state,
      ...part,
      ...(failure && { failure }),
      ...(first && { waits_for: first.text }),
      waits,
    }
  }

  *#waits(root: string): Generator<RunWait, void> {
    const { beads, runs, holds, checksOf } = this.options
    const hold = holds.find(root)
    if (hold) yield { kind: 'paused', text: pausedText(root, hold), since: toTimestamp(hold.since) }
    for (const { id, since } of runs.waitsOf(root, MAX_WAITS)) {
      const bead = beads.find(id)
      if (bead) yield { ...waitText(root, bead), bead_id: id, since: toTimestamp(since) }
    }
    for (const check of checksOf(root).slice(0, MAX_WAITS)) yield this.#ofCheck(check)
    const live = beads.list(this.context.store.all(LIVE, root, MAX_WAITS).map(({ id }) => id))
    for (const bead of live.sort((a, b) => (a.status < b.status ? -1 : 1))) yield this.#ofWork(bead)
    yield* this.#ofParts(root)
  }

  #ofCheck({ controlId, startedAt }: CheckUnderWay): RunWait {
    const { beads, config, suspensions } = this.options
    const hold = startedAt === null ? suspensions.holdOf(config.current, beads.rigOf(controlId)) : undefined
    const how = hold === undefined ? 'is being run' : `is not run while ${hold}`
    const since = startedAt === null ? {} : { since: toTimestamp(startedAt) }
    return {
      kind: 'check',
      text: `The check of step "${beads.titleOf(controlId)}" ${how}.`,
      bead_id: controlId,
      ...since,
    }
  }

  /** The member of a convoy that a drain started a run for. */
  #memberOf(root: string): string {
    const bead = this.options.beads.find(root)
    return bead ? metadataValue(bead, EngineKey.drainMemberId) : ''
  }

  *#ofParts(root: string): Generator<RunWait, void> {
    const { beads, runs } = this.options
    for (const id of runs.partsOf(root).slice(0, MAX_WAITS)) {
      const { state, formula } = runs.get(id)
      const member = this.#memberOf(id)
      const title = beads.titleOf(member)
      yield { kind: 'run', text: `Run ${id} of ${formula} for ${member} ("${title}") is ${state}.`, bead_id: id }
    }
  }

  #ofWork(bead: Bead): RunWait {
    const { id, title, status, assignee } = bead
    if (status === 'in_progress') {
      const since = bead.updated_at
      return {
        ...{ kind: 'claimed', bead_id: id, text: `${assignee ?? 'Somebody'} works on step "${title}".` },
        ...(since && { since }),
      }
    }
    return { kind: 'unclaimed', text: this.#unclaimedText(bead), bead_id: id }
  }

  #unclaimedText(bead: Bead): string {
    const { id, title, assignee } = bead
    const route = metadataValue(bead, WorkKey.routedTo)
    const to = assignee ?? route
    if (to === '') return `Step "${title}" has no assignee: gc sling <agent> ${id}.`
    const isKnown = this.options.config.current.agents.some(({ qualified }) => qualified === route)
    if (!isKnown && assignee === undefined) {
      return `Step "${title}" is for ${route}, which is not an agent of the city: gc sling <agent> ${id}, or add the agent.`
    }
    const hindrance = this.options.agents.hindrance(route)
    const who = assignee === undefined ? `a session of ${route}` : assignee
    return `Step "${title}" waits for ${who} to take it${hindrance === undefined ? '' : `: ${hindrance}`}.`
  }
}

function pausedText(root: string, { by, reason, state, heldWith }: RunHold): string {
  if (state === 'resuming') return 'It is being resumed.'
  const why = reason === '' ? '' : ` (${reason})`
  if (heldWith === null) return `It is paused by ${by}${why}: gc run resume ${root}.`
  return `It is paused with run ${heldWith}, which ${by} paused${why}: gc run resume ${heldWith}.`
}

function waitText(root: string, bead: Bead): Pick<RunWait, 'kind' | 'text' | 'until'> {
  const { id, title } = bead
  if (metadataValue(bead, WorkflowKey.kind) === 'failure-guard') {
    const step = guardedStep(bead)
    const ways = `gc run retry ${root} --step ${step.name}, or gc run skip ${root} ${step.name} --reason <why>`
    return { kind: 'failure', text: `Step "${step.title}" failed, and what needs it waits for a person: ${ways}.` }
  }
  const gate = parseGate(bead)
  if (!gate) return { kind: 'blocked', text: `Step "${title}" is blocked: its assignee needs help (bead ${id}).` }
  const until = gate.due === undefined ? undefined : toTimestamp(gate.due)
  if (gate.kind === 'timer' && until)
    return { kind: 'gate', text: `Gate ${id} opens automatically at ${until}.`, until }
  const github = gate.kind === 'gh:run' ? 'the workflow run' : 'the pull request'
  if (gate.kind !== 'human') return { kind: 'gate', text: `Gate ${id} waits for ${github} ${gate.awaitId} at GitHub.` }
  return { kind: 'gate', text: `Gate ${id} ("${title}") waits for a person: bd gate resolve ${id}.` }
}
