import { items, moment, object, text } from '../entries/json.ts'
import type { Native } from '../entries/log-reader.ts'
import { each, type Steps } from '../entries/slices.ts'

/** The conversation that a log shows, and whether it went back on something. */
export interface Branch {
  readonly natives: readonly Native[]
  readonly branches: boolean
  /** How much of the log it is of, and the last piece of that. */
  readonly seen: number
  readonly last: Native | undefined
}

interface Node {
  readonly native: Native
  readonly id: string
  readonly parent: string | undefined
  readonly place: number
  readonly at: number
  readonly depth: number
}

/**
 * Claude's log is a tree: each entry names the one before it. The shown branch ends at the newest tip; entries of
 * sub-agents are not of this conversation.
 */
export function* branchOf(natives: readonly Native[], sidechains = false): Steps<Branch> {
  const nodes = yield* nodesOf(natives, sidechains)
  const tip = yield* newest(nodes)
  const at = { seen: natives.length, last: natives.at(-1) }
  if (!tip) return { natives: [], branches: false, ...at }
  const shown = new Set<Node>()
  yield* each(lineage(tip, nodes), (node) => shown.add(node))
  const answered = yield* results(nodes, shown)
  const parents = new Set<string | undefined>()
  yield* each(nodes.values(), ({ parent }) => parents.add(parent))
  const ordered: Native[] = []
  let branches = false
  yield* each(natives, (native) => {
    const node = nodes.get(text(native.value.uuid) ?? '')
    if (!node || node.native !== native) return
    if (shown.has(node) || answered.has(node)) ordered.push(native)
    else branches ||= !parents.has(node.id) && speaks(native)
  })
  return { natives: ordered, branches, ...at }
}

/** An entry, the one before it, and so on to the beginning, or to where it goes in a circle. */
function* lineage(tip: Node, nodes: ReadonlyMap<string, Node>): Generator<Node, void, void> {
  const passed = new Set<Node>()
  for (let node: Node | undefined = tip; node && !passed.has(node); node = nodes.get(node.parent ?? '')) {
    passed.add(node)
    yield node
  }
}

/** The branch of a log that only grew, each new entry behind the one before; undefined when more has to be looked at. */
export function continued(
  before: Branch | undefined,
  natives: readonly Native[],
  sidechains: boolean,
): Branch | undefined {
  if (!before || before.seen > natives.length || natives[before.seen - 1] !== before.last) return undefined
  const more: Native[] = []
  let tip = before.natives.at(-1)
  for (const native of natives.slice(before.seen)) {
    const { uuid, isSidechain, timestamp } = native.value
    if (text(uuid) === undefined || (isSidechain === true && !sidechains)) continue
    const later = (moment(timestamp) ?? 0) >= (moment(tip?.value.timestamp) ?? 0)
    if (!tip || parentOf(native) !== tip.value.uuid || !later) return undefined
    more.push(native)
    tip = native
  }
  const seen = { seen: natives.length, last: natives.at(-1) }
  return {
    natives: more.length > 0 ? [...before.natives, ...more] : before.natives,
    branches: before.branches,
    ...seen,
  }
}

const parentOf = ({ value }: Native): string | undefined => text(value.parentUuid) ?? text(value.logicalParentUuid)

const speaks = ({ value }: Native): boolean => value.type === 'user' || value.type === 'assistant'

function* nodesOf(natives: readonly Native[], sidechains: boolean): Steps<Map<string, Node>> {
  const nodes = new Map<string, Node>()
  yield* each(natives, (native, place) => {
    const { value } = native
    const id = text(value.uuid)
    if (id === undefined || (value.isSidechain === true && !sidechains)) return
    const parent = parentOf(native)
    const above = parent === undefined ? undefined : nodes.get(parent)
    const at = moment(value.timestamp) ?? above?.at ?? 0
    nodes.set(id, { native, id, parent, place, at, depth: (above?.depth ?? 0) + 1 })
  })
  return nodes
}

/** The entry that was written last; of several the one with the longest conversation before it. */
function* newest(nodes: ReadonlyMap<string, Node>): Steps<Node | undefined> {
  let tip: Node | undefined
  yield* each(nodes.values(), (node) => {
    if (!tip || isNewer(node, tip)) tip = node
  })
  return tip
}

function isNewer(node: Node, than: Node): boolean {
  if (node.at !== than.at) return node.at > than.at
  return node.depth === than.depth ? node.place > than.place : node.depth > than.depth
}

/** Tools that were called together answer side by side; those answers are of the conversation, although it goes on from one. */
function* results(nodes: ReadonlyMap<string, Node>, shown: ReadonlySet<Node>): Steps<Set<Node>> {
  const asked = new Set<string>()
  const known = new Set<string>()
  yield* each(shown, ({ native }) => {
    for (const id of callsIn(native)) asked.add(id)
    for (const id of resultsIn(native)) known.add(id)
  })
  const more = new Set<Node>()
  yield* each(nodes.values(), (node) => {
    if (shown.has(node)) return
    const answers = resultsIn(node.native)
    if (answers.length === 0 || !answers.every((id) => asked.has(id) && !known.has(id))) return
    more.add(node)
    for (const id of answers) known.add(id)
  })
  return more
}

const contentOf = ({ value }: Native): readonly unknown[] => items(object(value.message).content)

const callsIn = (native: Native): string[] =>
  contentOf(native).flatMap((item) => {
    const block = object(item)
    return block.type === 'tool_use' ? (text(block.id) ?? []) : []
  })

const resultsIn = (native: Native): string[] =>
  contentOf(native).flatMap((item) => {
    const block = object(item)
    return block.type === 'tool_result' ? (text(block.tool_use_id) ?? []) : []
  })
