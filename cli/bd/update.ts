import type { Command } from 'commander'
import { plain } from '../../src/client/text.ts'
import type { BeadUpdateBody } from '../../src/work/beads/schema.ts'
import { pair, priority, several } from '../context/options.ts'
import { misuse } from '../io/exit.ts'
import { metadataOf } from './create.ts'
import type { Desk } from './desk.ts'

interface Update {
  claim?: true
  status?: string
  title?: string
  description?: string
  type?: string
  priority?: number
  assignee?: string
  addLabel?: string[]
  removeLabel?: string[]
  parent?: string
  metadata?: string
  setMetadata?: Record<string, string>
  unsetMetadata?: string[]
}

export function updateCommand(program: Command, desk: Desk): void {
  program
    .command('update')
    .description('change beads')
    .argument('<ids...>')
    .option('--claim', 'take it: you become its assignee and it is in progress, or someone else was first')
    .option('-s, --status <status>', 'open, in_progress or closed')
    .option('--title <title>')
    .option('-d, --description <text>')
    .option('-t, --type <type>')
    .option('-p, --priority <level>', '0 to 4, or P0 to P4', priority)
    .option('-a, --assignee <who>', 'empty for nobody')
    .option('--add-label <labels>', 'separated by commas', several)
    .option('--remove-label <labels>', 'separated by commas', several)
    .option('--parent <bead>', 'empty for none')
    .option('--metadata <json>', 'keys and values, as a JSON object')
    .option('--set-metadata <key=value>', 'may be repeated', pair)
    .option('--unset-metadata <key>', 'may be repeated', several)
    .action(desk.run((ids: string[], options: Update) => update(desk, ids, options)))
}

/** The verbs for who holds a bead: keeping it, and giving it back only if it is still that one's. */
export function holdingCommands(program: Command, desk: Desk): void {
  program
    .command('heartbeat')
    .description('say that you still work on a bead')
    .argument('<id>')
    .action(
      desk.run(async (id: string) => {
        const claim = await (await desk.city()).call('POST ~/bead/{id}/heartbeat', { params: { id } })
        if (desk.print.json) return desk.print.value(claim)
        desk.print.line(`✓ Still at work on ${id}`)
      }),
    )
  program
    .command('release-if-current')
    .description('give a bead back, if it is still assigned to that name')
    .argument('<id>')
    .argument('<assignee>')
    .action(desk.run((id: string, assignee: string) => release(desk, id, assignee)))
}

async function release(desk: Desk, id: string, assignee: string): Promise<void> {
  const city = await desk.city()
  const bead = await city.call('GET ~/bead/{id}', { params: { id } })
  const current = bead.assignee === assignee && bead.status === 'in_progress'
  if (current) await city.call('POST ~/bead/{id}/release', { params: { id } })
  if (desk.print.json) return desk.print.value({ id, released: current })
  desk.print.line(current ? `✓ Released ${id}` : `${id} is not in the hands of ${plain(assignee)}`)
}

async function update(desk: Desk, ids: readonly string[], options: Update): Promise<void> {
  const body = bodyOf(options)
  const changes = Object.keys(body).length > 0
  if (!changes && !options.claim) throw misuse('no updates specified')
  const city = await desk.city()
  const done = await desk.each(ids, async (id) => {
    const params = { id }
    if (options.claim) await city.call('POST ~/bead/{id}/claim', { params })
    if (changes) await city.call('PATCH ~/bead/{id}', { params, body })
    return city.call('GET ~/bead/{id}', { params })
  })
  if (desk.print.json) {
    await desk.printList(done)
  } else {
    for (const bead of done) desk.print.line(`✓ Updated issue: ${bead.id} — ${plain(bead.title)}`)
  }
  if (done.length < ids.length) throw desk.partly()
}

function bodyOf(options: Update): BeadUpdateBody {
  const unset = Object.fromEntries((options.unsetMetadata ?? []).map((key) => [key, '']))
  const metadata = { ...metadataOf(options.metadata), ...options.setMetadata, ...unset }
  return {
    ...(options.status !== undefined && { status: options.status }),
    ...(options.title !== undefined && { title: options.title }),
    ...(options.description !== undefined && { description: options.description }),
    ...(options.type !== undefined && { type: options.type }),
    ...(options.priority !== undefined && { priority: options.priority }),
    ...(options.assignee !== undefined && { assignee: options.assignee }),
    ...(options.addLabel && { labels: options.addLabel }),
    ...(options.removeLabel && { remove_labels: options.removeLabel }),
    ...(options.parent !== undefined && { parent: options.parent || null }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
}
