import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ClientProblem } from '../../src/client/problem.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { json, line } from '../io/io.ts'

export function verbCommands(bead: Command, here: Here): void {
  withJson(bead.command('close').description('mark work as done'))
    .argument('<beads...>')
    .option('--reason <text>', 'what came of it')
    .action((ids: string[], options: Json & { reason?: string }) => {
      const { reason } = options
      const body = { status: 'closed', ...(reason && { metadata: { close_reason: reason } }) }
      const close = (city: CityClient, id: string) =>
        reason
          ? city.call('PATCH ~/bead/{id}', { params: { id }, body })
          : city.call('POST ~/bead/{id}/close', { params: { id } })
      return eachOf(here, ids, 'Closed', close, options)
    })
  const act = (verb: 'reopen' | 'unpark', description: string, done: string) =>
    withJson(bead.command(verb).description(description))
      .argument('<beads...>')
      .action((ids: string[], options: Json) =>
        eachOf(here, ids, done, (city, id) => city.call(`POST ~/bead/{id}/${verb}`, { params: { id } }), options),
      )
  act('reopen', 'take up closed work again', 'Reopened')
  act('unpark', 'offer a bead again that was parked because it ended too many sessions', 'Offered again:')
  withJson(bead.command('assign').description('say who works on a bead; without a name, nobody'))
    .argument('<bead>')
    .argument('[who]', 'a session by id, alias or name', '')
    .action(async (id: string, assignee: string, options: Json) => {
      const city = await here.city()
      const said = await city.call('POST ~/bead/{id}/assign', { params: { id }, body: { assignee } })
      if (options.json) return json(here.io, said)
      line(here.io, said.assignee ? `${id} is assigned to ${said.assignee}.` : `${id} is assigned to nobody.`)
    })
  withJson(bead.command('delete').description('close a bead for good; its record stays'))
    .argument('<bead>')
    .action(async (id: string, options: Json) => {
      const city = await here.city()
      const said = await city.call('DELETE ~/bead/{id}', { params: { id } })
      if (options.json) return json(here.io, said)
      line(here.io, `Closed ${id}.`)
    })
}

/** Does the same to several beads: what goes wrong with one is said, and the others are done. */
async function eachOf(
  here: Here,
  ids: readonly string[],
  done: string,
  act: (city: CityClient, id: string) => Promise<unknown>,
  options: Json,
): Promise<void> {
  const city = await here.city()
  const faults: string[] = []
  for (const id of ids) {
    try {
      const said = await act(city, id)
      if (options.json) json(here.io, said)
      else line(here.io, `${done} ${id}.`)
    } catch (error) {
      if (!(error instanceof ClientProblem)) throw error
      faults.push(error.sentence)
    }
  }
  if (faults.length > 0) throw failure(faults.join('\n'))
}
