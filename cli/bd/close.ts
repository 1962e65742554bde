import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { BdContext } from './context.ts'

export function closeCommands(program: Command, bd: BdContext): void {
  program
    .command('close')
    .alias('done')
    .description('close beads')
    .argument('<ids...>')
    .option('-r, --reason <text>', 'the reason or result')
    .action(bd.run((ids: string[], { reason }: { reason?: string }) => closeOrReopen(bd, ids, 'close', reason)))
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
  reason?: string,
): Promise<void> {
  const city = await bd.city()
  const done = await bd.forEach(ids, async (id) => {
    const params = { id }
    if (verb === 'close' && reason) {
      await city.call('PATCH ~/bead/{id}', { params, body: { status: 'closed', metadata: { close_reason: reason } } })
    } else {
      await city.call(`POST ~/bead/{id}/${verb}`, { params })
    }
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
