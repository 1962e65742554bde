import type { Command } from 'commander'
import { plain } from '../../src/client/text.ts'
import type { Desk } from './desk.ts'

export function closing(program: Command, desk: Desk): void {
  program
    .command('close')
    .alias('done')
    .description('close beads: the work is done')
    .argument('<ids...>')
    .option('-r, --reason <text>', 'why, or what came of it')
    .action(desk.run((ids: string[], { reason }: { reason?: string }) => end(desk, ids, 'close', reason)))
  program
    .command('reopen')
    .description('take up closed work again')
    .argument('<ids...>')
    .action(desk.run((ids: string[]) => end(desk, ids, 'reopen')))
}

async function end(desk: Desk, ids: readonly string[], verb: 'close' | 'reopen', reason?: string): Promise<void> {
  const city = await desk.city()
  const done = await desk.each(ids, async (id) => {
    const params = { id }
    if (verb === 'close' && reason) {
      await city.call('PATCH ~/bead/{id}', { params, body: { status: 'closed', metadata: { close_reason: reason } } })
    } else {
      await city.call(`POST ~/bead/{id}/${verb}`, { params })
    }
    return city.call('GET ~/bead/{id}', { params })
  })
  if (desk.print.json) {
    await desk.printList(done)
  } else {
    const word = verb === 'close' ? '✓ Closed' : '↻ Reopened'
    for (const bead of done)
      desk.print.line(`${word} ${bead.id} — ${plain(bead.title)}${reason ? `: ${plain(reason)}` : ''}`)
  }
  if (done.length < ids.length) throw desk.partly()
}
