import type { Command } from 'commander'
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
    const query = { ...(force && { force }) }
    if (verb === 'close' && reason) {
      const body = { status: 'closed', metadata: { close_reason: reason } }
      await city.call('PATCH ~/bead/{id}', { params, query, body })
    } else if (verb === 'close') {
      await city.call('POST ~/bead/{id}/close', { params, query })
    } else {
      await city.call('POST ~/bead/{id}/reopen', { params })
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
