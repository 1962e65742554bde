import type { Tx } from '../../../core/store/index.ts'
import { type Bead, type BeadRepository, isGating } from '../../../work/beads/index.ts'
import type { Convoys } from '../../../work/convoys/index.ts'
import { EngineKey, LaunchKey, ResultKey } from '../../../work/metadata.ts'
import { cancelSlice } from '../cancel.ts'
import type { DrainUnits } from '../drain/units.ts'
import {
  type DrainRow,
  drainMetadata,
  type Manifest,
  manifestOf,
  newManifest,
  withSucceeded,
} from '../drain-manifest.ts'
import type { RunMembers } from '../members.ts'
import { metadataValue } from '../node.ts'
import { isFinal, type RunRepository } from '../repository.ts'
import { type ControlStep, malformed } from './control.ts'

export interface DrainOptions {
  beads: BeadRepository
  convoys: Convoys
  runs: RunRepository
  members: RunMembers
  units: DrainUnits
}

/** The most members that a drain takes, and how many it takes when its formula does not say. */
const MAX_UNITS = 100

/** Reason a drain does not begin: a word for programs, and a sentence. */
interface DrainFailure {
  reason: string
  message: string
}

/**
 * Runs a formula for each member of the convoy that its run is for: for all of them together, or one after the other.
 * The control waits for the roots of those runs, and passes when all of them did.
 */
export function drain(options: DrainOptions, step: ControlStep): void {
  const state = metadataValue(step.bead, EngineKey.drainState)
  const manifest = manifestOf(step.bead)
  if (state === '' || state === 'pending') begin(options, step, manifest && collect(options.beads, manifest))
  else if (!manifest) throw malformed(`gc.drain_manifest.v1 of ${step.bead.id} cannot be read`)
  else if (state === 'expanding') options.units.request(step.tx, step.bead.id)
  else goOn(options, step, collect(options.beads, manifest))
}

/** Begins with the members of the convoy; with an earlier manifest, those for which that succeeded are done. */
function begin(options: DrainOptions, step: ControlStep, earlier: Manifest | undefined): void {
  const { beads } = options
  const { tx, bead, root } = step
  const convoy = metadataValue(root, EngineKey.inputConvoyId)
  if (beads.find(convoy)?.issue_type !== 'convoy') throw malformed(`the run ${root.id} has no convoy to drain`)
  const named = options.convoys.memberIds(convoy)
  const tooMany = limitFailure(bead, named.length)
  const members = tooMany ? [] : beads.list(named)
  const failure = tooMany ?? missingFailure(named, members) ?? reserve(options, step, members)
  const formula = metadataValue(bead, EngineKey.drainFormula)
  const context = metadataValue(bead, EngineKey.drainContext) === 'shared' ? 'shared' : 'separate'
  const ids = inDependencyOrder(members, beads)
  const written = newManifest({ control: bead.id, context, convoy, formula, members: failure ? [] : ids })
  const manifest = withSucceeded(written, earlier)
  const counted = {
    [EngineKey.drainParentConvoyId]: convoy,
    [EngineKey.drainCount]: String(named.length),
    [LaunchKey.variables]: metadataValue(root, LaunchKey.variables),
  }
  if (failure) {
    beads.closeWith(tx, bead.id, {
      ...{ ...counted, ...drainMetadata('failed'), [ResultKey.outcome]: 'fail', [ResultKey.failureClass]: 'hard' },
      ...{ [ResultKey.failureReason]: failure.reason, [EngineKey.controllerError]: failure.message },
    })
  } else if (manifest.rows.every(({ status }) => status === 'succeeded')) {
    const over = { ...counted, ...drainMetadata('succeeded', manifest), [ResultKey.outcome]: 'pass' }
    beads.closeWith(tx, bead.id, over)
  } else {
    beads.change(tx, bead.id, { metadata: { ...counted, ...drainMetadata('expanding', manifest) } })
    options.units.request(tx, bead.id)
  }
}

function limitFailure(bead: Bead, count: number): DrainFailure | undefined {
  const written = metadataValue(bead, EngineKey.drainMaxUnits)
  const max = written === '' ? MAX_UNITS : Number(written)
  if (!Number.isSafeInteger(max) || max < 1 || max > MAX_UNITS) {
    const message = `gc.drain_max_units is ${written}: it must be 1 to ${MAX_UNITS}`
    return { reason: 'drain_max_units_invalid', message }
  }
  if (count <= max) return undefined
  const message = `the convoy has ${count} members, and the drain takes ${max} at most: split the convoy`
  return { reason: 'limit_exceeded', message }
}

function missingFailure(named: readonly string[], members: readonly Bead[]): DrainFailure | undefined {
  const missing = named.find((id) => !members.some((member) => member.id === id))
  if (missing === undefined) return undefined
  return { reason: 'unresolved_member', message: `member ${missing} of the convoy does not exist: remove it` }
}

/** Takes the members for one drain alone, when its formula asks for that: all of them or none. */
function reserve({ beads }: DrainOptions, { tx, bead }: ControlStep, members: readonly Bead[]) {
  if (metadataValue(bead, EngineKey.drainMemberAccess) !== 'exclusive') return undefined
  const taken = members.find((member) => {
    const holder = metadataValue(member, EngineKey.exclusiveReservation)
    return holder !== '' && holder !== bead.id && (beads.find(holder)?.status ?? 'closed') !== 'closed'
  })
  if (taken) {
    const holder = metadataValue(taken, EngineKey.exclusiveReservation)
    const message = `member ${taken.id} of the convoy is taken by drain ${holder}: wait until that is over`
    return { reason: 'exclusive_reservation_conflict', message }
  }
  for (const { id } of members) beads.change(tx, id, { metadata: { [EngineKey.exclusiveReservation]: bead.id } })
  return undefined
}

/** A manifest with the result of the runs that are over. */
function collect(beads: BeadRepository, manifest: Manifest): Manifest {
  const rows = manifest.rows.map((row): DrainRow => {
    if (row.item_root_id === undefined) return row
    const { outcome_bead_id: _, outcome_kind: __, failure_reason: ___, ...begun } = row
    const root = beads.find(row.item_root_id)
    if (!root && row.status !== 'wired') return row
    if (root && root.status !== 'closed') return { ...begun, status: 'wired' }
    const outcome = root ? metadataValue(root, ResultKey.outcome) : ''
    const over = { ...begun, outcome_bead_id: row.item_root_id, ...(outcome !== '' && { outcome_kind: outcome }) }
    if (outcome === 'pass') return { ...over, status: 'succeeded' }
    const reason = root ? metadataValue(root, ResultKey.failureReason) : ''
    const failure_reason = reason || (outcome === '' ? 'missing_item_outcome' : `item_outcome_${outcome}`)
    return { ...over, status: 'failed', failure_reason }
  })
  return { ...manifest, rows }
}

/**
 * Notes the result of the run for one member while others continue; a run that is removed is not waited for any more.
 */
export function noteItem({ beads }: DrainOptions, tx: Tx, root: Bead): void {
  const control = beads.find(metadataValue(root, EngineKey.drainControlId))
  const manifest = control?.status === 'open' ? manifestOf(control) : undefined
  if (!control || !manifest?.rows.some(({ item_root_id }) => item_root_id === root.id)) return
  const state = metadataValue(control, EngineKey.drainState) === 'expanding' ? 'expanding' : 'expanded'
  if (control.is_blocked) beads.change(tx, control.id, { metadata: drainMetadata(state, collect(beads, manifest)) })
  if (!beads.find(root.id)) beads.undepend(tx, control.id, [root.id])
}

/** Continues with the next member, or ends the drain. */
function goOn({ beads, units }: DrainOptions, { tx, bead }: ControlStep, collected: Manifest): void {
  const hasFailed = collected.rows.some(({ status }) => status === 'failed')
  const isSkipping = hasFailed && metadataValue(bead, EngineKey.drainOnItemFailure) === 'skip_remaining'
  const manifest = isSkipping ? skipRest(collected) : collected
  if (manifest.rows.some(({ status }) => status === 'pending')) {
    beads.change(tx, bead.id, { metadata: drainMetadata('expanding', manifest) })
    units.request(tx, bead.id)
    return
  }
  if (manifest.rows.some(({ status }) => status === 'wired')) return
  const [state, outcome] = hasFailed ? (['failed', 'fail'] as const) : (['succeeded', 'pass'] as const)
  beads.closeWith(tx, bead.id, { ...drainMetadata(state, manifest), [ResultKey.outcome]: outcome })
}

const skipRest = (manifest: Manifest): Manifest => ({
  ...manifest,
  rows: manifest.rows.map((row) =>
    row.status === 'pending'
      ? { ...row, status: 'skipped', outcome_kind: 'skipped', failure_reason: 'previous_item_failed' }
      : row,
  ),
})

/**
 * Ends what belongs to a drain that is closed: its members are free again, and runs of theirs that continue are
 * canceled. Whether the rest of a large one is still to be canceled.
 */
export function endDrain(options: DrainOptions, tx: Tx, control: Bead): boolean {
  const { beads, runs } = options
  const { rows = [] } = manifestOf(control) ?? {}
  let isLeft = false
  for (const { member_id, item_root_id } of rows) {
    const member = beads.find(member_id)
    if (member && metadataValue(member, EngineKey.exclusiveReservation) === control.id) {
      beads.change(tx, member_id, { metadata: { [EngineKey.exclusiveReservation]: '' } })
    }
    const run = item_root_id === undefined ? undefined : runs.find(item_root_id)
    if (run && !isFinal(run.state) && !cancelSlice(options, tx, run).isOver) isLeft = true
  }
  return isLeft
}

/**
 * The ids of beads, each behind those among them that it waits for; else in the order given, even where they wait in a
 * circle.
 */
function inDependencyOrder(members: readonly Bead[], beads: Pick<BeadRepository, 'dependenciesOf'>): string[] {
  const ids = new Set(members.map(({ id }) => id))
  const seen = new Set<string>()
  const ordered: string[] = []
  const visit = (id: string) => {
    if (seen.has(id)) return
    seen.add(id)
    for (const { type, depends_on_id } of beads.dependenciesOf(id)) {
      if (isGating(type) && ids.has(depends_on_id)) visit(depends_on_id)
    }
    ordered.push(id)
  }
  for (const id of ids) visit(id)
  return ordered
}
