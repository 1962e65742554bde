import type { Command } from 'commander'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { json, line } from '../io/io.ts'
import { type Column, table } from '../io/table.ts'

export function dependencyCommands(bead: Command, here: Here): void {
  const dep = bead.command('dep').description('what a bead waits for')
  withJson(dep.command('add').description('let a bead depend on another'))
    .argument('<bead>')
    .argument('<on>', 'the bead it depends on')
    .option('--type <type>', 'blocks, waits-for, tracks, relates-to …', 'blocks')
    .action(async (id: string, on: string, options: Json & { type: string }) => {
      const city = await here.city()
      const said = await city.call('POST ~/bead/{id}/deps', {
        params: { id },
        body: { depends_on_id: on, type: options.type },
      })
      if (options.json) return json(here.io, said)
      line(here.io, `${id} depends on ${on} (${options.type}).`)
    })
  withJson(dep.command('list').description('list what a bead depends on and what depends on it'))
    .argument('<bead>')
    .action((id: string, options: Json) => list(here, id, options))
  withJson(dep.command('remove').description('take a dependency away'))
    .argument('<bead>')
    .argument('<on>')
    .action(async (id: string, on: string, options: Json) => {
      const city = await here.city()
      const said = await city.call('DELETE ~/bead/{id}/deps/{depends_on_id}', {
        params: { id, depends_on_id: on },
      })
      if (options.json) return json(here.io, said)
      line(here.io, `${id} no longer depends on ${on}.`)
    })
}

async function list(here: Here, id: string, options: Json): Promise<void> {
  const city = await here.city()
  const found = await city.call('GET ~/bead/{id}/dependencies', { params: { id } })
  if (options.json) return json(here.io, found)
  const rows = [
    ...found.depends_on.map((relation) => ({ ...relation, way: 'depends on' })),
    ...found.dependents.map((relation) => ({ ...relation, way: 'needed by' })),
  ]
  const columns: Column<(typeof rows)[number]>[] = [
    { head: 'WAY', of: ({ way }) => way },
    { head: 'BEAD', of: (row) => row.id },
    { head: 'TYPE', of: ({ type }) => type },
    { head: 'STATUS', of: ({ bead }) => bead?.status ?? 'unknown' },
    { head: 'TITLE', of: ({ bead }) => bead?.title, least: 12 },
  ]
  table(here.io, rows, columns, `${id} depends on nothing, and nothing depends on it.`)
}
