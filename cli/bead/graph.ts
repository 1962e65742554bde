import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { printJson, printLine } from '../io/io.ts'
import { GATING } from './blockers.ts'

interface Graph extends JsonOption {
  tree?: true
  mermaid?: true
}

interface GraphNode {
  id: string
  title: string
  status: string
  type: string
  parent_id?: string
  blocked_by: string[]
  open_blockers: string[]
  ready: boolean
}

export function graphCommand(program: Command, context: CommandContext): void {
  withWatch(withJson(program.command('graph').description('show beads with their children and dependencies')))
    .argument('<beads...>', 'beads, epic or convoy')
    .option('--tree', 'print each bead below its parent')
    .option('--mermaid', 'print a Mermaid diagram')
    .action(watched(context, graph))
}

async function graph(context: CommandContext, ids: readonly string[], options: Graph): Promise<void> {
  const beads = await membersOf(await context.city(), ids)
  const nodes = [...beads.values()].map((bead) => toNode(bead, beads))
  if (options.json) return printJson(context.io, envelope({ input: ids, nodes, summary: summaryOf(nodes) }))
  const lines = options.mermaid ? mermaid(nodes) : options.tree ? tree(nodes) : nodes.map(formatNode)
  for (const line of lines) printLine(context.io, line)
}

/** The beads and everything that belongs to them; of a convoy its members. */
async function membersOf(city: CityClient, ids: readonly string[]): Promise<Map<string, Bead>> {
  const beads = new Map<string, Bead>()
  for (const id of ids) {
    const { root, beads: members } = await city.call('GET ~/beads/graph/{rootID}', { params: { rootID: id } })
    for (const bead of members) if (bead.id !== root.id || root.issue_type !== 'convoy') beads.set(bead.id, bead)
  }
  return beads
}

function toNode(bead: Bead, beads: ReadonlyMap<string, Bead>): GraphNode {
  const { id, title, status, issue_type, parent, dependencies = [] } = bead
  const gates = dependencies.filter(({ type }) => GATING.has(type))
  const blockers = [...new Set(gates.map(({ depends_on_id }) => depends_on_id))]
  const isOpen = (blocker: string) => (beads.get(blocker)?.status ?? (bead.is_blocked ? 'open' : 'closed')) !== 'closed'
  return {
    id,
    title,
    status,
    type: issue_type,
    ...(parent && { parent_id: parent }),
    blocked_by: blockers,
    open_blockers: blockers.filter(isOpen),
    ready: status === 'open' && !bead.is_blocked,
  }
}

const summaryOf = (nodes: readonly GraphNode[]) => ({
  total: nodes.length,
  closed: nodes.filter(({ status }) => status === 'closed').length,
  ready: nodes.filter(({ ready }) => ready).length,
  blocked: nodes.filter(({ status, ready }) => status === 'open' && !ready).length,
})

function formatNode({ id, title, status, ready, open_blockers: blockers }: GraphNode): string {
  const state = status === 'open' ? (ready ? 'ready' : 'blocked') : status
  const waits = blockers.length > 0 ? `  waits for ${blockers.join(', ')}` : ''
  return sanitizeLine(`${id}  ${state}  ${title}${waits}`)
}

function tree(nodes: readonly GraphNode[]): string[] {
  const ids = new Set(nodes.map(({ id }) => id))
  const children = Map.groupBy(nodes, ({ parent_id: parent }) => (parent && ids.has(parent) ? parent : ''))
  const below = (parent: string, depth: number): string[] =>
    (children.get(parent) ?? []).flatMap((node) => [
      `${'  '.repeat(depth)}${formatNode(node)}`,
      ...below(node.id, depth + 1),
    ])
  return below('', 0)
}

/** A diagram; its titles cannot end the text of a node. */
function mermaid(nodes: readonly GraphNode[]): string[] {
  const ids = new Set(nodes.map(({ id }) => id))
  const label = (text: string) =>
    sanitizeLine(text)
      .replaceAll('"', "'")
      .replaceAll(/[<>[\]{}|]/g, ' ')
  return [
    'graph TD',
    ...nodes.map(({ id, title, status }) => `  ${id}["${id}: ${label(title)} (${label(status)})"]`),
    ...nodes.flatMap(({ id, blocked_by }) => blocked_by.filter((on) => ids.has(on)).map((on) => `  ${on} --> ${id}`)),
  ]
}
