import type { Native } from './entry.ts'
import { items, moment, object, text } from './json.ts'

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
export function branchOf(natives: readonly Native[], sidechains = false): Branch {
  const nodes = nodesOf(natives, sidechains)
  const tip = newest(nodes)
  const at = { seen: natives.length, last: natives.at(-1) }
  if (!tip) return { natives: [], branches: false, ...at }
  const shown = new Set<Node>()
  for (let node: Node | undefined = tip; node && !shown.has(node); node = nodes.get(node.parent ?? '')) shown.add(node)
  const answered = addResults(nodes, shown)
  const parents = new Set([...nodes.values()].map(({ parent }) => parent))
  const branches = [...nodes.values()].some(
    (node) => !shown.has(node) && !answered.has(node) && !parents.has(node.id) && speaks(node.native),
  )
  const ordered = [...shown, ...answered].sort((a, b) => a.place - b.place)
  return { natives: ordered.map(({ native }) => native), branches, ...at }
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

function nodesOf(natives: readonly Native[], sidechains: boolean): Map<string, Node> {
  const nodes = new Map<string, Node>()
  for (const [place, native] of natives.entries()) {
    const { value } = native
    const id = text(value.uuid)
    if (id === undefined || (value.isSidechain === true && !sidechains)) continue
    const parent = parentOf(native)
    const above = parent === undefined ? undefined : nodes.get(parent)
    const at = moment(value.timestamp) ?? above?.at ?? 0
    nodes.set(id, { native, id, parent, place, at, depth: (above?.depth ?? 0) + 1 })
  }
  return nodes
}

/** The entry that was written last; of several the one with the longest conversation before it. */
function newest(nodes: ReadonlyMap<string, Node>): Node | undefined {
  let tip: Node | undefined
  for (const node of nodes.values()) if (!tip || isNewer(node, tip)) tip = node
  return tip
}

function isNewer(node: Node, than: Node): boolean {
  if (node.at !== than.at) return node.at > than.at
  return node.depth === than.depth ? node.place > than.place : node.depth > than.depth
}

/** Tools that were called together answer side by side; those answers are of the conversation, although it goes on from one. */
function addResults(nodes: ReadonlyMap<string, Node>, shown: ReadonlySet<Node>): Set<Node> {
  const asked = new Set([...shown].flatMap(({ native }) => callsIn(native)))
  const known = new Set([...shown].flatMap(({ native }) => resultsIn(native)))
  const more = new Set<Node>()
  for (const node of nodes.values()) {
    if (shown.has(node)) continue
    const answers = resultsIn(node.native)
    if (answers.length === 0 || !answers.every((id) => asked.has(id) && !known.has(id))) continue
    more.add(node)
    for (const id of answers) known.add(id)
  }
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
