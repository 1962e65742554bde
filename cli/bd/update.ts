import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { BeadChangeEntry, BeadUpdateBody } from '../../src/work/beads/index.ts'
import { changeBead } from '../bead/create.ts'
import { parseStatus } from '../bead/status.ts'
import { parseMoment } from '../context/dates.ts'
import { collectList, collectPair, parsePriority } from '../context/options.ts'
import { usageError } from '../io/exit.ts'
import { type TextSource, textOf, withTextSource } from './comment.ts'
import type { BdContext } from './context.ts'
import { type TextFields, type TextOptions, textFieldsOf, withTextOptions } from './create.ts'

interface Update extends TextOptions {
  claim?: true
  status?: string
  ifStatus?: string
  title?: string
  type?: string
  priority?: number
  assignee?: string
  assign?: string
  unassign?: true
  defer?: string
  addLabel?: string[]
  label?: string[]
  removeLabel?: string[]
  setLabels?: string[]
  parent?: string
  unsetMetadata?: string[]
  persistent?: true
  ephemeral?: true
  force?: true
}

export function updateCommands(program: Command, bd: BdContext): void {
  withFields(program.command('update').description('change beads').argument('<beads...>')).action(
    bd.run((ids: string[], options: Update) => update(bd, ids, options)),
  )
  const define = (name: string, description: string, ...args: string[]) => {
    const command = program.command(name).description(description)
    for (const each of args) command.argument(each)
    return command
  }
  define('assign', 'assign a bead, or unassign it with an empty name', '<bead>', '<who>').action(
    bd.run((id: string, assignee: string) => update(bd, [id], { assignee })),
  )
  define('priority', 'set the priority of a bead', '<bead>', '<level>').action(
    bd.run((id: string, level: string) => update(bd, [id], { priority: parsePriority(level) })),
  )
  withTextSource(define('note', 'add a line to the notes of a bead')).action(
    bd.run(async (id: string, words: string[], from: TextSource) =>
      update(bd, [id], { appendNotes: await textOf(bd, words, from) }),
    ),
  )
  program
    .command('meta', { hidden: true })
    .command('set')
    .description('set metadata of a bead')
    .argument('<bead>')
    .argument('<pairs...>')
    .action(
      bd.run((id: string, pairs: string[]) =>
        update(bd, [id], {
          setMetadata: pairs.reduce<Record<string, string>>((all, pair) => collectPair(pair, all), {}),
        }),
      ),
    )
}

/** The options of `bd update`. */
const withFields = (command: Command): Command =>
  withChangeOptions(command)
    .option('--claim', 'claim it, unless another session holds it')
    .option('-s, --status <status>', 'open, in_progress, closed …', parseStatus)
    .option('--if-status <status>', 'only if it has this status', parseStatus)
    .option('-a, --assignee <who>', 'assignee; empty for none')
    .option('--assign <who>', 'same as --assignee')
    .option('--unassign', 'remove the assignee')
    .option('--add-label <labels>', 'labels, separated by commas', collectList)
    .option('--label <labels>', 'same as --add-label', collectList)
    .option('--remove-label <labels>', 'labels, separated by commas', collectList)
    .option('--set-labels <labels>', 'replace all labels', collectList)
    .option('--defer <moment>', 'defer until this time; empty for no deferral', parseDefer)
    .option('--unset-metadata <key>', 'metadata key to remove; may be repeated', collectList)
    .option('-f, --force', 'include beads that another session works on')
    .option('--persistent', 'keep it as work instead of bookkeeping')
    .option('--ephemeral', 'create it as ephemeral bookkeeping')

const withChangeOptions = (command: Command): Command =>
  withTextOptions(command)
    .option('--title <title>', 'new title')
    .option('-t, --type <type>', 'new type')
    .option('-p, --priority <level>', '0 to 4, or P0 to P4', parsePriority)
    .option('--parent <bead>', 'parent bead; empty for none')

const parseDefer = (text: string): string => (text === '' ? '' : parseMoment(text))

/** The commands that keep a claim, or release it if it is still that of a given name. */
export function holdingCommands(program: Command, bd: BdContext): void {
  program
    .command('heartbeat')
    .description('report that you still work on a bead')
    .argument('<bead>')
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
    .argument('<bead>')
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

/** Changes beads, and prints them. */
export async function update(bd: BdContext, ids: readonly string[], options: Update): Promise<void> {
  const body = changeOf(options, await textFieldsOf(bd, options))
  const changes = Object.keys(body).length > 0 || options.setLabels !== undefined
  if (!changes && !options.claim) throw usageError('no updates specified')
  const city = await bd.city()
  const done = await bd.forEach(ids, async (id) => {
    const params = { id }
    // A claim also sets the status, so the expected status is checked first.
    if (options.claim && options.ifStatus !== undefined) await changeBead(city, { id, if_status: options.ifStatus })
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

function changeOf(options: Update, { description, metadata: given }: TextFields): Omit<BeadChangeEntry, 'id'> {
  const unset = Object.fromEntries((options.unsetMetadata ?? []).map((key) => [key, '']))
  const metadata = { ...given, ...unset }
  const labels = [...(options.addLabel ?? []), ...(options.label ?? [])]
  const line = options.appendNotes ?? options.note
  const assignee = options.unassign ? '' : (options.assignee ?? options.assign)
  return {
    ...(options.status !== undefined && { status: options.status }),
    ...(options.ifStatus !== undefined && !options.claim && { if_status: options.ifStatus }),
    ...(options.title !== undefined && { title: options.title }),
    ...(description !== undefined && { description }),
    ...(options.type !== undefined && { type: options.type }),
    ...(options.priority !== undefined && { priority: options.priority }),
    ...(assignee !== undefined && { assignee }),
    ...(labels.length > 0 && { labels }),
    ...(options.removeLabel && { remove_labels: options.removeLabel }),
    ...(options.parent !== undefined && { parent: options.parent || null }),
    ...(options.defer !== undefined && { defer_until: options.defer || null }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(line !== undefined && { append_metadata: { notes: line } }),
    ...((options.persistent || options.ephemeral) && { ephemeral: options.persistent === undefined }),
  }
}
