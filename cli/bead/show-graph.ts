import type { Command } from 'commander'
import type { Bead, BeadGraphResponse } from '../../src/work/beads/index.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { type Io, printJson } from '../io/io.ts'
import { printTable } from '../io/table.ts'

export function graphCommand(bead: Command, context: CommandContext): void {
  withWatch(withJson(bead.command('graph').description('show a bead with its descendants and their dependencies')))
    .argument('<bead>', 'bead, such as an epic or a convoy')
    .action(watched(context, show))
}

async function show(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  const city = await context.city()
  const graph = await city.call('GET ~/beads/graph/{rootID}', { params: { rootID: id } })
  if (options.json) return printJson(context.io, graph)
  print(context.io, graph)
}

interface GraphRow {
  bead: Bead
  depth: number
}

function print(io: Io, { root, beads, deps }: BeadGraphResponse): void {
  const needs = Map.groupBy(
    deps.filter(({ kind }) => kind !== 'parent-child' && kind !== 'tracks'),
    ({ to }) => to,
  )
  printTable(
    io,
    orderByParent(root, beads),
    [
      { header: 'BEAD', value: ({ bead, depth }) => '  '.repeat(depth) + bead.id },
      { header: 'STATUS', value: ({ bead }) => bead.status + (bead.is_blocked ? ', blocked' : '') },
      { header: 'ASSIGNEE', value: ({ bead }) => bead.assignee, minWidth: 8 },
      {
        header: 'NEEDS',
        value: ({ bead }) =>
          needs
            .get(bead.id)
            ?.map(({ from }) => from)
            .join(' '),
        minWidth: 8,
      },
      { header: 'TITLE', value: ({ bead }) => bead.title, minWidth: 12 },
    ],
    '',
  )
}

/** Each bead below its parent, or below the root when its parent is not in the graph. */
function orderByParent(root: Bead, beads: readonly Bead[]): GraphRow[] {
  const inside = new Set(beads.map(({ id }) => id))
  const others = beads.filter(({ id }) => id !== root.id)
  const children = Map.groupBy(others, ({ parent }) => (parent && inside.has(parent) ? parent : root.id))
  const below = (bead: Bead, depth: number): GraphRow[] => [
    { bead, depth },
    ...(children.get(bead.id) ?? []).flatMap((child) => below(child, depth + 1)),
  ]
  return below(root, 0)
}
