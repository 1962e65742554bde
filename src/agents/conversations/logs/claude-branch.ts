import { asArray, asObject, asString, asTimestamp } from '../entries/json.ts'
import type { LogRecord } from '../entries/log-reader.ts'
import { forEachInSteps, type Steps } from '../entries/steps.ts'

/** The branch of a log that is shown as the conversation. */
export interface Branch {
  readonly records: readonly LogRecord[]
  /** Whether the log has other branches too. */
  readonly hasBranches: boolean
  /** How many records of the log were considered, and the last of them. */
  readonly recordCount: number
  readonly lastRecord: LogRecord | undefined
}

interface Node {
  readonly record: LogRecord
  readonly id: string
  readonly parent: string | undefined
  readonly index: number
  readonly timestamp: number
  readonly depth: number
}

/**
 * Claude's log is a tree: each entry names its parent. The selected branch ends at the newest tip; entries of
 * sub-agents do not belong to it.
 */
export function* selectBranch(records: readonly LogRecord[], sidechains = false): Steps<Branch> {
  const nodes = yield* buildNodes(records, sidechains)
  const tip = yield* newestNode(nodes)
  const position = { recordCount: records.length, lastRecord: records.at(-1) }
  if (!tip) return { records: [], hasBranches: false, ...position }
  const selected = new Set<Node>()
  yield* forEachInSteps(ancestors(tip, nodes), (node) => selected.add(node))
  const results = yield* parallelResults(nodes, selected)
  const parents = new Set<string | undefined>()
  yield* forEachInSteps(nodes.values(), ({ parent }) => parents.add(parent))
  const ordered: LogRecord[] = []
  let hasBranches = false
  yield* forEachInSteps(records, (record) => {
    const node = nodes.get(asString(record.value.uuid) ?? '')
    if (!node || node.record !== record) return
    if (selected.has(node) || results.has(node)) ordered.push(record)
    else hasBranches ||= !parents.has(node.id) && isMessage(record)
  })
  return { records: ordered, hasBranches, ...position }
}

/** A node, its parent and so on up to the root; a cycle ends the walk. */
function* ancestors(tip: Node, nodes: ReadonlyMap<string, Node>): Generator<Node, void, void> {
  const visited = new Set<Node>()
  for (let node: Node | undefined = tip; node && !visited.has(node); node = nodes.get(node.parent ?? '')) {
    visited.add(node)
    yield node
  }
}

/** Extends a branch by new records that all continue it; undefined when the branch has to be selected anew. */
export function extendBranch(
  branch: Branch | undefined,
  records: readonly LogRecord[],
  sidechains: boolean,
): Branch | undefined {
  if (!branch || branch.recordCount > records.length || records[branch.recordCount - 1] !== branch.lastRecord)
    return undefined
  const added: LogRecord[] = []
  let tip = branch.records.at(-1)
  for (const record of records.slice(branch.recordCount)) {
    const { uuid, isSidechain, timestamp } = record.value
    if (asString(uuid) === undefined || (isSidechain === true && !sidechains)) continue
    const isLater = (asTimestamp(timestamp) ?? 0) >= (asTimestamp(tip?.value.timestamp) ?? 0)
    if (!tip || parentOf(record) !== tip.value.uuid || !isLater) return undefined
    added.push(record)
    tip = record
  }
  const position = { recordCount: records.length, lastRecord: records.at(-1) }
  return {
    records: added.length > 0 ? [...branch.records, ...added] : branch.records,
    hasBranches: branch.hasBranches,
    ...position,
  }
}

const parentOf = ({ value }: LogRecord): string | undefined =>
  asString(value.parentUuid) ?? asString(value.logicalParentUuid)

const isMessage = ({ value }: LogRecord): boolean => value.type === 'user' || value.type === 'assistant'

function* buildNodes(records: readonly LogRecord[], sidechains: boolean): Steps<Map<string, Node>> {
  const nodes = new Map<string, Node>()
  yield* forEachInSteps(records, (record, index) => {
    const { value } = record
    const id = asString(value.uuid)
    if (id === undefined || (value.isSidechain === true && !sidechains)) return
    const parent = parentOf(record)
    const parentNode = parent === undefined ? undefined : nodes.get(parent)
    const timestamp = asTimestamp(value.timestamp) ?? parentNode?.timestamp ?? 0
    nodes.set(id, { record, id, parent, index, timestamp, depth: (parentNode?.depth ?? 0) + 1 })
  })
  return nodes
}

/** The node that was written last; among equals the deepest. */
function* newestNode(nodes: ReadonlyMap<string, Node>): Steps<Node | undefined> {
  let tip: Node | undefined
  yield* forEachInSteps(nodes.values(), (node) => {
    if (!tip || isNewer(node, tip)) tip = node
  })
  return tip
}

function isNewer(node: Node, than: Node): boolean {
  if (node.timestamp !== than.timestamp) return node.timestamp > than.timestamp
  return node.depth === than.depth ? node.index > than.index : node.depth > than.depth
}

/** Results of parallel calls are siblings: all belong to the conversation, although it continues from only one of them. */
function* parallelResults(nodes: ReadonlyMap<string, Node>, selected: ReadonlySet<Node>): Steps<Set<Node>> {
  const called = new Set<string>()
  const answered = new Set<string>()
  yield* forEachInSteps(selected, ({ record }) => {
    for (const id of callIds(record)) called.add(id)
    for (const id of resultIds(record)) answered.add(id)
  })
  const results = new Set<Node>()
  yield* forEachInSteps(nodes.values(), (node) => {
    if (selected.has(node)) return
    const ids = resultIds(node.record)
    if (ids.length === 0 || !ids.every((id) => called.has(id) && !answered.has(id))) return
    results.add(node)
    for (const id of ids) answered.add(id)
  })
  return results
}

const contentOf = ({ value }: LogRecord): readonly unknown[] => asArray(asObject(value.message).content)

const callIds = (record: LogRecord): string[] =>
  contentOf(record).flatMap((item) => {
    const block = asObject(item)
    return block.type === 'tool_use' ? (asString(block.id) ?? []) : []
  })

const resultIds = (record: LogRecord): string[] =>
  contentOf(record).flatMap((item) => {
    const block = asObject(item)
    return block.type === 'tool_result' ? (asString(block.tool_use_id) ?? []) : []
  })
