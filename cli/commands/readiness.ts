import type { Command } from 'commander'
import type { Colour } from '../../src/client/text.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { json } from '../io/io.ts'
import { table } from '../io/table.ts'

const COLOURS: Record<string, Colour> = { configured: 'green', needs_auth: 'yellow', not_installed: 'dim' }

export function readinessCommand(program: Command, here: Here): void {
  withJson(program.command('readiness').description('whether agents’ programs are installed and logged in'))
    .argument('[name...]', 'which; the usual ones when none is given')
    .option('--fresh', 'look again, whatever was seen a moment ago')
    .action(async (names: string[], options: Json & { fresh?: true }) => {
      const query = { items: names.join(','), ...(options.fresh && { fresh: true }) }
      const said = await here.client.call('GET /v0/readiness', { query })
      if (options.json) return json(here.io, said)
      table(
        here.io,
        Object.values(said.items),
        [
          { head: 'NAME', of: ({ name }) => name },
          { head: 'PROGRAM', of: ({ display_name }) => display_name },
          { head: 'STATUS', of: ({ status }) => status, colour: ({ status }) => COLOURS[status] ?? 'red' },
          { head: 'TO DO', of: ({ detail }) => detail, least: 10 },
        ],
        '',
      )
    })
}
