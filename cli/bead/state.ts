import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

export function stateCommands(bead: Command, context: CommandContext): void {
  withJson(bead.command('close').description('close beads'))
    .argument('<beads...>')
    .option('--reason <text>', 'result of the work')
    .option('--force', 'include beads that another session works on')
    .action((ids: string[], options: JsonOption & { reason?: string; force?: true }) => {
      const { reason, force } = options
      const query = { ...(force && { force }) }
      const body = { status: 'closed', ...(reason && { metadata: { close_reason: reason } }) }
      const close = (city: CityClient, id: string) =>
        reason
          ? city.call('PATCH ~/bead/{id}', { params: { id }, query, body })
          : city.call('POST ~/bead/{id}/close', { params: { id }, query })
      return forEachBead(context, ids, 'Closed', close, options)
    })
  const define = (verb: 'reopen' | 'unpark', description: string, done: string) =>
    withJson(bead.command(verb).description(description))
      .argument('<beads...>')
      .action((ids: string[], options: JsonOption) =>
        forEachBead(
          context,
          ids,
          done,
          (city, id) => city.call(`POST ~/bead/{id}/${verb}`, { params: { id } }),
          options,
        ),
      )
  define('reopen', 'reopen closed beads', 'Reopened')
  define('unpark', 'retry a bead that was parked after failed sessions', 'Unparked')
  withJson(bead.command('assign').description('assign a bead, or unassign it without a name'))
    .argument('<bead>')
    .argument('[who]', 'session: id, alias or name', '')
    .option('--force', 'assign it even if another session works on it')
    .action(async (id: string, assignee: string, options: JsonOption & { force?: true }) => {
      const city = await context.city()
      const query = { ...(options.force && { force: true }) }
      const response = await city.call('POST ~/bead/{id}/assign', { params: { id }, query, body: { assignee } })
      if (options.json) return printJson(context.io, response)
      printLine(context.io, response.assignee ? `${id} is assigned to ${response.assignee}.` : `${id} is unassigned.`)
    })
  withJson(bead.command('delete').description('delete a bead; its record is kept'))
    .argument('<bead>')
    .action(async (id: string, options: JsonOption) => {
      const city = await context.city()
      const response = await city.call('DELETE ~/bead/{id}', { params: { id } })
      if (options.json) return printJson(context.io, response)
      printLine(context.io, `Closed ${id}.`)
    })
}

/** Applies an action to each bead, and fails at the end with the errors of all. */
async function forEachBead(
  context: CommandContext,
  ids: readonly string[],
  done: string,
  action: (city: CityClient, id: string) => Promise<unknown>,
  options: JsonOption,
): Promise<void> {
  const city = await context.city()
  const errors: string[] = []
  for (const id of ids) {
    try {
      const response = await action(city, id)
      if (options.json) printJson(context.io, response)
      else printLine(context.io, `${done} ${id}.`)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      errors.push(error.sentence)
    }
  }
  if (errors.length > 0) throw failure(errors.join('\n'))
}
