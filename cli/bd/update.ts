import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { BeadChangeEntry, BeadUpdateBody } from '../../src/work/beads/index.ts'
import { changeBead } from '../bead/create.ts'
import { parseStatus } from '../bead/status.ts'
import { parseMoment } from '../context/dates.ts'
import { collectList, collectPair, parseCount, parsePriority } from '../context/options.ts'
import { usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { readMetadata } from './create.ts'
import { type FieldOptions, fieldsOf } from './issue.ts'

interface Update extends FieldOptions {
  claim?: true
  status?: string
  title?: string
  description?: string
  type?: string
  priority?: number
  assignee?: string
  addLabel?: string[]
  label?: string[]
  removeLabel?: string[]
  setLabels?: string[]
  parent?: string
  metadata?: string
  setMetadata?: Record<string, string>
  unsetMetadata?: string[]
  appendNotes?: string
  persistent?: true
  ephemeral?: true
  force?: true
}

export function updateCommand(program: Command, bd: BdContext): void {
  program
    .command('update')
    .description('change beads')
    .argument('<ids...>')
    .option('--claim', 'claim it: assign it to yourself and set it in progress, unless somebody else has it')
    .option('-s, --status <status>', 'open, in_progress, closed …', parseStatus)
    .option('--title <title>')
    .option('-d, --description <text>')
    .option('-t, --type <type>')
    .option('-p, --priority <level>', '0 to 4, or P0 to P4', parsePriority)
    .option('-a, --assignee <who>', 'the assignee; empty for none')
    .option('--add-label <labels>', 'separated by commas', collectList)
    .option('--label <labels>', 'the same as --add-label', collectList)
    .option('--remove-label <labels>', 'separated by commas', collectList)
    .option('--set-labels <labels>', 'these labels instead of the present ones', collectList)
    .option('--parent <bead>', 'empty for none')
    .option('--notes <text>', 'the notes, instead of the present ones')
    .option('--append-notes <text>', 'a line to add to the notes')
    .option('--design <text>')
    .option('--acceptance <text>', 'the criteria of acceptance')
    .option('--external-ref <ref>', 'what it stands for elsewhere, such as the address of an issue')
    .option('--spec-id <id>', 'the specification it belongs to')
    .option('-e, --estimate <minutes>', 'how long it should take', parseCount)
    .option('--due <moment>', 'when it should be done', parseMoment)
    .option('--persistent', 'it is work to keep, no bookkeeping')
    .option('--ephemeral', 'it is bookkeeping, not work to keep')
    .option('--metadata <json>', 'keys and values, as a JSON object, or @ and a file of one')
    .option('--set-metadata <key=value>', 'may be repeated', collectPair)
    .option('--unset-metadata <key>', 'may be repeated', collectList)
    .option('-f, --force', 'also what another session works on')
    .action(bd.run((ids: string[], options: Update) => update(bd, ids, options)))
}

/** The commands that keep a claim, or release it if it is still that of a given name. */
export function holdingCommands(program: Command, bd: BdContext): void {
  program
    .command('heartbeat')
    .description('report that you still work on a bead')
    .argument('<id>')
    .action(
      bd.run(async (id: string) => {
        const claim = await (await bd.city()).call('POST ~/bead/{id}/heartbeat', { params: { id } })
        if (bd.print.json) return bd.print.value(claim)
        bd.print.line(`✓ Still at work on ${id}`)
      }),
    )
  program
    .command('release-if-current')
    .description('release a bead, if it is still assigned to this name')
    .argument('<id>')
    .argument('<assignee>')
    .action(bd.run((id: string, assignee: string) => release(bd, id, assignee)))
}

async function release(bd: BdContext, id: string, assignee: string): Promise<void> {
  const city = await bd.city()
  const bead = await city.call('GET ~/bead/{id}', { params: { id } })
  const current = bead.assignee === assignee && bead.status === 'in_progress'
  if (current) await city.call('POST ~/bead/{id}/release', { params: { id } })
  if (bd.print.json) return bd.print.value({ id, released: current })
  bd.print.line(current ? `✓ Released ${id}` : `${id} is not in the hands of ${sanitizeLine(assignee)}`)
}

async function update(bd: BdContext, ids: readonly string[], options: Update): Promise<void> {
  const body = changeOf(options, await readMetadata(bd, options.metadata))
  const changes = Object.keys(body).length > 0 || options.setLabels !== undefined
  if (!changes && !options.claim) throw usageError('no updates specified')
  const city = await bd.city()
  const done = await bd.forEach(ids, async (id) => {
    const params = { id }
    if (options.claim) await city.call('POST ~/bead/{id}/claim', { params })
    if (changes) await changeBead(city, { id, ...body, ...(await labelChange(city, id, options)) }, options)
    return city.call('GET ~/bead/{id}', { params })
  })
  if (bd.print.json) {
    await bd.printList(done)
  } else {
    for (const bead of done) bd.print.line(`✓ Updated issue: ${bead.id} — ${sanitizeLine(bead.title)}`)
  }
  if (done.length < ids.length) throw bd.partialFailure()
}

/** The labels to add and remove so that a bead has exactly those of `--set-labels`. */
async function labelChange(city: CityClient, id: string, { setLabels }: Update): Promise<BeadUpdateBody> {
  if (!setLabels) return {}
  const { labels = [] } = await city.call('GET ~/bead/{id}', { params: { id } })
  return { labels: setLabels, remove_labels: labels.filter((each) => !setLabels.includes(each)) }
}

function changeOf(options: Update, given: Record<string, string>): Omit<BeadChangeEntry, 'id'> {
  const unset = Object.fromEntries((options.unsetMetadata ?? []).map((key) => [key, '']))
  const metadata = { ...given, ...options.setMetadata, ...unset, ...fieldsOf(options) }
  const labels = [...(options.addLabel ?? []), ...(options.label ?? [])]
  return {
    ...(options.status !== undefined && { status: options.status }),
    ...(options.title !== undefined && { title: options.title }),
    ...(options.description !== undefined && { description: options.description }),
    ...(options.type !== undefined && { type: options.type }),
    ...(options.priority !== undefined && { priority: options.priority }),
    ...(options.assignee !== undefined && { assignee: options.assignee }),
    ...(labels.length > 0 && { labels }),
    ...(options.removeLabel && { remove_labels: options.removeLabel }),
    ...(options.parent !== undefined && { parent: options.parent || null }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(options.appendNotes !== undefined && { append_metadata: { notes: options.appendNotes } }),
    ...((options.persistent || options.ephemeral) && { ephemeral: options.persistent === undefined }),
  }
}
