import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import { usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'

const LABEL = 'human'

/** Commands that mark beads: for a person, and with a state. */
export function markCommands(program: Command, bd: BdContext): void {
  const human = program.command('human').description('beads that wait for a person')
  human
    .command('mark', { isDefault: true, hidden: true })
    .argument('[bead]')
    .action(bd.run((id: string | undefined) => (id === undefined ? list(bd) : mark(bd, id))))
  human
    .command('list')
    .description('list the open ones')
    .action(bd.run(() => list(bd)))
  human
    .command('respond')
    .description('answer one, and close it')
    .argument('<bead>')
    .requiredOption('-r, --response <text>')
    .action(bd.run((id: string, { response }: { response: string }) => end(bd, id, 'Responded', response)))
  human
    .command('dismiss')
    .description('close one without an answer')
    .argument('<bead>')
    .option('-r, --reason <text>')
    .action(bd.run((id: string, { reason }: { reason?: string }) => end(bd, id, 'Dismissed', reason)))
  program
    .command('set-state')
    .description('set a state of a bead: the label `dimension:value`')
    .argument('<bead>')
    .argument('<dimension=value>')
    .option('--reason <text>', 'why; it becomes a comment')
    .action(bd.run((id: string, state: string, options: { reason?: string }) => setState(bd, id, state, options)))
}

async function mark(bd: BdContext, id: string): Promise<void> {
  const city = await bd.city()
  await city.call('PATCH ~/bead/{id}', { params: { id }, body: { labels: [LABEL] } })
  if (bd.print.json) return bd.print.value({ issue_id: id, label: LABEL })
  bd.print.line(`✓ ${id} waits for a person`)
}

async function list(bd: BdContext): Promise<void> {
  const beads = await bd.list({ label: LABEL })
  if (bd.print.json) return bd.printList(beads)
  if (beads.length === 0) return bd.print.line('No bead waits for a person.')
  for (const bead of beads) bd.print.bead(bead)
}

async function end(bd: BdContext, id: string, verb: string, text: string | undefined): Promise<void> {
  const city = await bd.city()
  const reason = text ? `${verb}: ${text}` : verb
  await city.call('POST ~/bead/{id}/comments', { params: { id }, body: { text: reason } })
  await city.call('PATCH ~/bead/{id}', {
    params: { id },
    body: { status: 'closed', metadata: { close_reason: reason } },
  })
  if (bd.print.json) return bd.printList([await bd.get(id)])
  bd.print.line(`✓ ${verb} and closed ${id}`)
}

async function setState(bd: BdContext, id: string, state: string, { reason }: { reason?: string }): Promise<void> {
  const [, dimension, value] = /^([^=:]+)=(.+)$/.exec(state) ?? []
  if (dimension === undefined || value === undefined) throw usageError('write the state as `dimension=value`')
  const city = await bd.city()
  const { labels = [] } = await bd.get(id)
  const before = labels.filter((label) => label.startsWith(`${dimension}:`))
  const label = `${dimension}:${value}`
  const old = before[0]?.slice(dimension.length + 1)
  const changed = before.length !== 1 || before[0] !== label
  if (changed) {
    const remove = before.filter((each) => each !== label)
    await city.call('PATCH ~/bead/{id}', { params: { id }, body: { labels: [label], remove_labels: remove } })
    const text = `${dimension}: ${old ?? 'unset'} → ${value}${reason ? `: ${reason}` : ''}`
    await city.call('POST ~/bead/{id}/comments', { params: { id }, body: { text } })
  }
  if (bd.print.json) return bd.print.value({ issue_id: id, dimension, old_value: old ?? '', new_value: value, changed })
  bd.print.line(changed ? `✓ ${id} has ${sanitizeLine(label)}` : `${id} already has ${sanitizeLine(label)}`)
}
