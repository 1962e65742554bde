import type { Command } from 'commander'
import { ApiError } from '../../src/client/errors.ts'
import { resolveHome } from '../../src/client/home.ts'
import type { Colour } from '../../src/client/text.ts'
import { cityFolder } from '../context/city-folder.ts'
import type { CommandContext } from '../context/context.ts'
import { loadOffline } from '../context/offline.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { notFound } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

const COLOURS: Record<string, Colour> = { configured: 'green', needs_auth: 'yellow', not_installed: 'dim' }

/** The remedy for hooks of Codex that no one has reviewed yet. */
export const HOOK_REVIEW =
  'Codex asks a person to review its hooks when they are new or changed, and its session waits: `gc attention` shows the question, `gc attention answer <number> <option>` answers it'

export function readinessCommand(program: Command, context: CommandContext): void {
  withJson(program.command('readiness').description('show whether agent programs are ready'))
    .argument('[provider...]', 'programs to check; default is the common ones')
    .option('--fresh', 'check again instead of using recent results')
    .action(async (names: string[], options: JsonOption & { fresh?: true }) => {
      const query = { items: names.join(','), ...(options.fresh && { fresh: true }) }
      const supervisor = await context.supervisor()
      const response = await supervisor.call('GET /v0/readiness', { query }).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 400) throw error
        throw notFound(
          'provider-not-found',
          error.sentence.replace(/^unsupported items value/, 'gc does not know the program'),
        )
      })
      if (options.json) return printJson(context.io, response)
      printTable(
        context.io,
        Object.values(response.items),
        [
          { header: 'NAME', value: ({ name }) => name },
          { header: 'PROGRAM', value: ({ display_name }) => display_name },
          {
            header: 'STATUS',
            value: ({ status }) => status.replaceAll('_', ' '),
            colour: ({ status }) => COLOURS[status] ?? 'red',
          },
          { header: 'TO DO', value: ({ detail }) => detail, below: '→ ' },
        ],
        '',
      )
      if ('codex' in response.items && (await hasHookReviews(context))) printLine(context.io, `\n${HOOK_REVIEW}.`)
    })
}

/** True if Codex gets hooks in the city at hand; false without one. */
async function hasHookReviews(context: CommandContext): Promise<boolean> {
  const folder = await cityFolder(context, undefined).catch(() => undefined)
  if (folder === undefined) return false
  const { readCityFiles } = await loadOffline()
  return readCityFiles(folder, resolveHome(context.io.env)).hookReviews.length > 0
}
