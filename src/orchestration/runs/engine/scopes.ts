import type { Bead, BeadRepository } from '../../../work/beads/index.ts'
import { EngineKey, ResultKey, WorkflowKey } from '../../../work/metadata.ts'
import { metadataValue } from '../node.ts'
import { type ControlStep, malformed } from './control.ts'
import type { Graph } from './graph.ts'
import { hasFailed, results } from './outcome.ts'
import { skip } from './skip.ts'

interface ScopeOptions {
  beads: BeadRepository
  graph: Graph
}

/**
 * Follows one member of a scope that is closed: when it failed, the rest of the scope is skipped and its body fails; the
 * last member closes the body.
 */
export function checkScope({ beads, graph }: ScopeOptions, { tx, bead, root }: ControlStep): void {
  const scope = metadataValue(bead, WorkflowKey.scopeRef)
  const member = graph.blockers(bead.id).at(-1)
  if (!member || scope === '') throw malformed(`${bead.id} follows no member of a scope`)
  const body = bodyOf({ beads, graph }, bead, scope)
  if (hasAborted(member)) {
    for (const other of graph.openParts(root.id, scope, bead.id)) skip({ beads, graph }, tx, other)
    closeBody(beads, tx, body, 'fail', results(member))
  } else if (!graph.hasOpenPart(root.id, scope, bead.id) && !(body && graph.waitsForMore(body.id, bead.id))) {
    closeBody(beads, tx, body, 'pass')
  }
  beads.closeWith(tx, bead.id, { [ResultKey.outcome]: 'pass' })
}

/** Closes the body of a scope that waits for nothing any more: the last that it waited for may be no member of it. */
export function endScope({ beads, graph }: ScopeOptions, { tx, bead, root }: ControlStep): void {
  if (!scopeParts(graph, root, bead).some(isOpenPart)) closeBody(beads, tx, bead, 'pass')
}

/** Closes a step that others are a part of, and with the last of which it is done: it fails when one of them did. */
export function endParent({ beads, graph }: ScopeOptions, { tx, bead }: ControlStep): void {
  const failed = graph.children(bead).some(hasFailed)
  beads.closeWith(tx, bead.id, { [ResultKey.outcome]: failed ? 'fail' : 'pass' })
}

/** The members of the scope of a body, and their controls. */
export function scopeParts(graph: Graph, root: Bead, body: Bead): Bead[] {
  const reference = metadataValue(body, WorkflowKey.stepRef)
  const formula = `${metadataValue(root, EngineKey.formulaName)}.`
  const names = reference.startsWith(formula) ? [reference, reference.slice(formula.length)] : [reference]
  return names.flatMap((name) => graph.scopeMembers(root.id, name))
}

/** A step that aborts its scope has to say that it passed; any other fails its scope when it says that it failed. */
function hasAborted(member: Bead): boolean {
  const outcome = metadataValue(member, ResultKey.outcome)
  if (outcome === 'fail') return true
  return metadataValue(member, EngineKey.onFail) === 'abort_scope' && !['pass', 'skipped', 'canceled'].includes(outcome)
}

/** True if the scope waits for this bead: teardown comes after it. */
const isOpenPart = (bead: Bead): boolean =>
  bead.status !== 'closed' &&
  bead.issue_type !== 'spec' &&
  ['member', 'control', ''].includes(metadataValue(bead, EngineKey.scopeRole))

function closeBody(
  beads: BeadRepository,
  tx: ControlStep['tx'],
  body: Bead | undefined,
  outcome: 'pass' | 'fail',
  metadata: Readonly<Record<string, string>> = {},
): void {
  if (body && body.status !== 'closed') beads.closeWith(tx, body.id, { ...metadata, [ResultKey.outcome]: outcome })
}

/** The body of a scope: it waits for its scope checks, or else the scope's name is its step reference. */
export function bodyOf({ beads, graph }: ScopeOptions, check: Bead, scope: string): Bead | undefined {
  const isBody = (bead: Bead) => {
    const reference = metadataValue(bead, WorkflowKey.stepRef)
    return reference === scope || reference.endsWith(`.${scope}`)
  }
  const waiting = beads.list(beads.dependentsOf(check.id).map(({ issue_id }) => issue_id))
  return waiting.find(isBody) ?? graph.scopeBodies(metadataValue(check, WorkflowKey.rootBeadId)).find(isBody)
}
