import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import { usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { childrenOf } from './molecule.ts'

export function labelCommands(program: Command, bd: BdContext): void {
  const label = program.command('label').description('manage labels of beads')
  for (const verb of ['add', 'remove'] as const) {
    label
      .command(verb)
      .description(`${verb === 'add' ? 'add a label to' : 'remove a label from'} beads`)
      .argument('<words...>', 'beads, then the label')
      .action(bd.run((words: string[]) => change(bd, verb, words)))
  }
  label
    .command('propagate')
    .description('add a label of a bead to its children')
    .argument('<bead>')
    .argument('<label>')
    .action(
      bd.run(async (id: string, each: string) => {
        const children = await childrenOf(bd, id)
        if (children.length > 0) return change(bd, 'add', [...children.map((child) => child.id), each])
        if (bd.print.json) return bd.print.value([])
        bd.print.line(`${id} has no children.`)
      }),
    )
  label
    .command('list')
    .description('list the labels of a bead')
    .argument('<bead>')
    .action(
      bd.run(async (id: string) => {
        const labels = (await bd.get(id)).labels ?? []
        if (bd.print.json) return bd.print.value(labels)
        for (const each of labels) bd.print.line(sanitizeLine(each))
      }),
    )
  label
    .command('list-all')
    .description('list all labels in use, with the number of their beads')
    .action(bd.run(() => listAll(bd)))
}

async function change(bd: BdContext, verb: 'add' | 'remove', words: readonly string[]): Promise<void> {
  const { ids, label } = await split(bd, words)
  const city = await bd.city()
  const done = await bd.forEach(ids, async (id) => {
    const body = verb === 'add' ? { labels: [label] } : { remove_labels: [label] }
    await city.call('PATCH ~/bead/{id}', { params: { id }, body })
    return bd.get(id)
  })
  const status = verb === 'add' ? 'added' : 'removed'
  if (bd.print.json) bd.print.value(done.map(({ id }) => ({ status, issue_id: id, label })))
  else for (const { id } of done) bd.print.line(`✓ ${status} label ${sanitizeLine(label)}: ${id}`)
  if (done.length < ids.length) throw bd.partialFailure()
}

/** The beads and the label: the label is last, or, as some write it, before its only bead. */
async function split(bd: BdContext, words: readonly string[]): Promise<{ ids: readonly string[]; label: string }> {
  const [first, last] = [words[0], words.at(-1)]
  if (first === undefined || last === undefined || words.length < 2) {
    throw usageError('name the bead and the label: `bd label add <bead> <label>`')
  }
  const swapped = words.length === 2 && (await bd.find(first)) === undefined && (await bd.find(last)) !== undefined
  return swapped ? { ids: [last], label: first } : { ids: words.slice(0, -1), label: last }
}

async function listAll(bd: BdContext): Promise<void> {
  const counts = new Map<string, number>()
  for (const { labels = [] } of await bd.list({ all: true }))
    for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
  const listed = [...counts].map(([label, count]) => ({ label, count })).sort((a, b) => (a.label < b.label ? -1 : 1))
  if (bd.print.json) return bd.print.value(listed)
  for (const { label, count } of listed) bd.print.line(`${sanitizeLine(label)}  (${count})`)
}
