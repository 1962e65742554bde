import type { Command } from 'commander'
import type { Bead, BeadGraphResponse } from '../../src/work/beads/schema.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { type Io, json } from '../io/io.ts'
import { table } from '../io/table.ts'

export function graphCommand(bead: Command, here: Here): void {
  withJson(bead.command('graph').description('show a bead with everything below it, and what of that waits for what'))
    .argument('<bead>', 'such as an epic or a convoy')
    .action(async (id: string, options: Json) => {
      const city = await here.city()
      const graph = await city.call('GET ~/beads/graph/{rootID}', { params: { rootID: id } })
      if (options.json) return json(here.io, graph)
      print(here.io, graph)
    })
}

interface Node {
  bead: Bead
  depth: number
}

function print(io: Io, { root, beads, deps }: BeadGraphResponse): void {
  const needs = Map.groupBy(
    deps.filter(({ kind }) => kind !== 'parent-child' && kind !== 'tracks'),
    ({ to }) => to,
  )
  table(
    io,
    ordered(root, beads),
    [
      { head: 'BEAD', of: ({ bead, depth }) => '  '.repeat(depth) + bead.id },
      { head: 'STATUS', of: ({ bead }) => bead.status + (bead.is_blocked ? ', blocked' : '') },
      { head: 'ASSIGNEE', of: ({ bead }) => bead.assignee, least: 8 },
      {
        head: 'NEEDS',
        of: ({ bead }) =>
          needs
            .get(bead.id)
            ?.map(({ from }) => from)
            .join(' '),
        least: 8,
      },
      { head: 'TITLE', of: ({ bead }) => bead.title, least: 12 },
    ],
    '',
  )
}

/** Each bead below its parent; those that have none here stand below the root. */
function ordered(root: Bead, beads: readonly Bead[]): Node[] {
  const inside = new Set(beads.map(({ id }) => id))
  const others = beads.filter(({ id }) => id !== root.id)
  const children = Map.groupBy(others, ({ parent }) => (parent && inside.has(parent) ? parent : root.id))
  const below = (bead: Bead, depth: number): Node[] => [
    { bead, depth },
    ...(children.get(bead.id) ?? []).flatMap((child) => below(child, depth + 1)),
  ]
  return below(root, 0)
}
