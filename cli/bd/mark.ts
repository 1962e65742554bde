import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import { parseStatus } from '../bead/status.ts'
import { usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'

const LABEL = 'human'

/** Commands that mark beads: for a person, and with a state. */
export function markCommands(program: Command, bd: BdContext): void {
  const human = program.command('human').description('manage questions to the operator')
  human
    .command('mark', { isDefault: true, hidden: true })
    .argument('[bead]')
    .action(bd.run((id: string | undefined) => (id === undefined ? list(bd) : mark(bd, id))))
  human
    .command('list')
    .description('list open questions')
    .option('-s, --status <status>', 'only this status', parseStatus)
    .action(bd.run(({ status }: { status?: string }) => list(bd, status)))
  human
    .command('stats')
    .description('count open questions')
    .action(bd.run(() => statistics(bd)))
  human
    .command('respond')
    .description('answer a question and close it')
    .argument('<bead>')
    .requiredOption('-r, --response <text>', 'answer, added as a comment')
    .action(bd.run((id: string, { response }: { response: string }) => end(bd, id, 'Responded', response)))
  human
    .command('dismiss')
    .description('close a question without an answer')
    .argument('<bead>')
    .option('-r, --reason <text>', 'reason, added as a comment')
    .action(bd.run((id: string, { reason }: { reason?: string }) => end(bd, id, 'Dismissed', reason)))
  const state = program.command('state').description('manage states of beads: labels such as `phase:green`')
  state
    .command('get', { isDefault: true, hidden: true })
    .argument('<bead>')
    .argument('<dimension>')
    .action(bd.run((id: string, dimension: string) => getState(bd, id, dimension)))
  state
    .command('list')
    .description('list the states of a bead')
    .argument('<bead>')
    .action(bd.run((id: string) => listStates(bd, id)))
  program
    .command('set-state')
    .description('set a state of a bead: the label `dimension:value`')
    .argument('<bead>')
    .argument('<dimension=value>')
    .option('--reason <text>', 'reason, added as a comment')
    .action(bd.run((id: string, state: string, options: { reason?: string }) => setState(bd, id, state, options)))
}

async function mark(bd: BdContext, id: string): Promise<void> {
  const city = await bd.city()
  await city.call('PATCH ~/bead/{id}', { params: { id }, body: { labels: [LABEL] } })
  if (bd.print.json) return bd.print.value({ issue_id: id, label: LABEL })
  bd.print.line(`✓ ${id} waits for a person`)
}

async function statistics(bd: BdContext): Promise<void> {
  const beads = await bd.list({ label: LABEL, all: true })
  const closed = beads.filter(({ status }) => status === 'closed')
  const dismissed = closed.filter(({ metadata }) => metadata?.close_reason?.startsWith('Dismissed')).length
  const pending = beads.length - closed.length
  const counts = { total: beads.length, pending, responded: closed.length - dismissed, dismissed }
  if (bd.print.json) return bd.print.value(counts)
  for (const [name, count] of Object.entries(counts)) bd.print.line(`${name.padEnd(10)} ${count}`)
}

async function list(bd: BdContext, status?: string): Promise<void> {
  const beads = await bd.list({ label: LABEL, status })
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

/** The states of a bead: what stands behind the colon of its labels, by what stands before it. */
async function statesOf(bd: BdContext, id: string): Promise<Record<string, string>> {
  const { labels = [] } = await bd.get(id)
  const pairs = labels.filter((label) => label.includes(':')).map((label) => label.split(/:(.*)/s))
  return Object.fromEntries(pairs.map(([dimension = '', value = '']) => [dimension, value]))
}

async function getState(bd: BdContext, id: string, dimension: string): Promise<void> {
  const value = (await statesOf(bd, id))[dimension]
  if (bd.print.json) return bd.print.value({ issue_id: id, dimension, value: value ?? null })
  bd.print.line(value === undefined ? `(no ${sanitizeLine(dimension)} state set)` : sanitizeLine(value))
}

async function listStates(bd: BdContext, id: string): Promise<void> {
  const states = await statesOf(bd, id)
  if (bd.print.json) return bd.print.value({ issue_id: id, states })
  if (Object.keys(states).length === 0) return bd.print.line(`${id} has no states.`)
  for (const [dimension, value] of Object.entries(states)) bd.print.line(sanitizeLine(`${dimension}: ${value}`))
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
