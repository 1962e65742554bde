import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { printJson, printLine } from '../io/io.ts'
import { type Column, printTable } from '../io/table.ts'

export function dependencyCommands(bead: Command, context: CommandContext): void {
  const dep = bead.command('dep').description('manage dependencies of beads')
  withJson(dep.command('add').description('make a bead depend on another'))
    .argument('<bead>')
    .argument('<needed-bead>', 'bead it depends on')
    .option('--type <type>', 'blocks, waits-for, tracks, relates-to …', 'blocks')
    .action(async (id: string, on: string, options: JsonOption & { type: string }) => {
      const city = await context.city()
      const response = await city.call('POST ~/bead/{id}/deps', {
        params: { id },
        body: { depends_on_id: on, type: options.type },
      })
      if (options.json) return printJson(context.io, response)
      printLine(context.io, `${id} depends on ${on} (${options.type}).`)
    })
  withWatch(withJson(dep.command('list').description('list dependencies of a bead in both directions')))
    .argument('<bead>')
    .action(watched(context, list))
  withJson(dep.command('remove').description('remove a dependency'))
    .argument('<bead>')
    .argument('<needed-bead>')
    .action(async (id: string, on: string, options: JsonOption) => {
      const city = await context.city()
      const response = await city.call('DELETE ~/bead/{id}/deps/{depends_on_id}', {
        params: { id, depends_on_id: on },
      })
      if (options.json) return printJson(context.io, response)
      printLine(context.io, `${id} no longer depends on ${on}.`)
    })
}

async function list(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  const city = await context.city()
  const relations = await city.call('GET ~/bead/{id}/dependencies', { params: { id } })
  if (options.json) return printJson(context.io, relations)
  const rows = [
    ...relations.depends_on.map((each) => ({ ...each, relation: 'depends on' })),
    ...relations.dependents.map((each) => ({ ...each, relation: 'needed by' })),
  ]
  const columns: Column<(typeof rows)[number]>[] = [
    { header: 'RELATION', value: ({ relation }) => relation },
    { header: 'BEAD', value: (row) => row.id },
    { header: 'TYPE', value: ({ type }) => type },
    { header: 'STATUS', value: ({ bead }) => bead?.status ?? 'unknown' },
    { header: 'TITLE', value: ({ bead }) => bead?.title, minWidth: 12 },
  ]
  printTable(context.io, rows, columns, `${id} depends on nothing, and nothing depends on it.`)
}
