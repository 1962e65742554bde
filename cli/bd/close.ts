import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { BdContext } from './context.ts'

interface Close {
  reason?: string
  force?: true
}

export function closeCommands(program: Command, bd: BdContext): void {
  program
    .command('close')
    .alias('done')
    .description('close beads')
    .argument('<ids...>')
    .option('-r, --reason <text>', 'the reason or result')
    .option('-f, --force', 'also what another session works on')
    .action(bd.run((ids: string[], options: Close) => closeOrReopen(bd, ids, 'close', options)))
  program
    .command('reopen')
    .description('reopen closed beads')
    .argument('<ids...>')
    .action(bd.run((ids: string[]) => closeOrReopen(bd, ids, 'reopen')))
}

async function closeOrReopen(
  bd: BdContext,
  ids: readonly string[],
  verb: 'close' | 'reopen',
  { reason, force }: Close = {},
): Promise<void> {
  const city = await bd.city()
  const done = await bd.forEach(ids, async (id) => {
    const params = { id }
    if (verb === 'reopen') await city.call('POST ~/bead/{id}/reopen', { params })
    else await close(city, id, reason).catch(retryWith(force, () => close(city, id, reason, true)))
    return city.call('GET ~/bead/{id}', { params })
  })
  if (bd.print.json) {
    await bd.printList(done)
  } else {
    const word = verb === 'close' ? '✓ Closed' : '↻ Reopened'
    for (const bead of done)
      bd.print.line(`${word} ${bead.id} — ${sanitizeLine(bead.title)}${reason ? `: ${sanitizeLine(reason)}` : ''}`)
  }
  if (done.length < ids.length) throw bd.partialFailure()
}

/** Closes a bead; `force` takes it from another session, which not every session may. */
async function close(city: CityClient, id: string, reason: string | undefined, force?: true): Promise<void> {
  const call = { params: { id }, query: { ...(force && { force }) } }
  const body = { status: 'closed', metadata: { close_reason: reason ?? '' } }
  if (reason) await city.call('PATCH ~/bead/{id}', { ...call, body })
  else await city.call('POST ~/bead/{id}/close', call)
}

/** With `--force`, does what another session's claim prevents. Nothing else needs force: a blocked bead may be closed. */
const retryWith = (force: true | undefined, again: () => Promise<void>) => (error: unknown) => {
  if (!force || !(error instanceof ApiError) || error.status !== 409) throw error
  return again()
}
