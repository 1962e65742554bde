import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { BeadCreateInputBody } from '../../src/work/beads/index.ts'
import { createBead } from '../bead/create.ts'
import { parseMoment } from '../context/dates.ts'
import { collectList, collectPair, parseCount, parsePriority } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { type FieldOptions, fieldsOf } from './issue.ts'
import { formatPriority } from './print.ts'

interface Create extends FieldOptions {
  title?: string
  description?: string
  bodyFile?: string
  type: string
  priority: number
  assignee?: string
  labels?: string[]
  label?: string[]
  parent?: string
  deps?: string[]
  metadata?: string
  setMetadata?: Record<string, string>
  defer?: string
  id?: string
  prefix?: string
  ephemeral?: true
  silent?: true
}

export function createCommand(program: Command, bd: BdContext): void {
  program
    .command('create')
    .alias('new')
    .description('create a bead')
    .argument('[title]')
    .option('--title <title>', 'the title, instead of the argument')
    .option('-d, --description <text>')
    .option('--body-file <file>', 'read the description from a file; - for standard input')
    .option('-t, --type <type>', 'task, bug, feature, epic, chore …', 'task')
    .option('-p, --priority <level>', '0 to 4, or P0 to P4', parsePriority, 2)
    .option('-a, --assignee <who>')
    .option('-l, --labels <labels>', 'separated by commas', collectList)
    .option('--label <labels>', 'the same as --labels', collectList)
    .option('--parent <bead>')
    .option('--deps <deps>', 'beads it depends on: `id` or `type:id`, separated by commas', collectList)
    .option('--metadata <json>', 'keys and values, as a JSON object, or @ and a file of one')
    .option('--set-metadata <key=value>', 'may be repeated', collectPair)
    .option('--defer <moment>', 'not ready before this time')
    .option('--notes <text>')
    .option('--design <text>')
    .option('--acceptance <text>', 'the criteria of acceptance')
    .option('--external-ref <ref>', 'what it stands for elsewhere, such as the address of an issue')
    .option('--spec-id <id>', 'the specification it belongs to')
    .option('-e, --estimate <minutes>', 'how long it should take', parseCount)
    .option('--due <moment>', 'when it should be done', parseMoment)
    .option('--prefix <prefix>', 'create it in the rig whose ids have this prefix')
    .option('--ephemeral', 'it is bookkeeping, not work to keep')
    .option('--id <id>', 'not supported: the city assigns ids')
    .option('--silent', 'print only the id')
    .action(bd.run((title: string | undefined, options: Create) => create(bd, title, options)))
}

async function create(bd: BdContext, title: string | undefined, options: Create): Promise<void> {
  if (options.id !== undefined) throw failure('the city assigns ids; remove --id')
  const body = await bodyOf(bd, title ?? options.title, options)
  const city = await bd.city()
  const rig = options.prefix === undefined ? await bd.rig() : await rigOfPrefix(bd, options.prefix)
  const { deps: needs = [], ephemeral } = options
  const bead = await createBead(city, { ...body, ...(rig && { rig }), needs, ...(ephemeral && { ephemeral }) })
  if (bd.print.json) return bd.printIssue(bead)
  if (options.silent) return bd.print.line(bead.id)
  bd.print.line(`✓ Created issue: ${bead.id} — ${sanitizeLine(bead.title)}`)
  bd.print.line(`  Priority: ${formatPriority(bead)}\n  Status: ${bead.status}`)
}

async function bodyOf(bd: BdContext, title: string | undefined, options: Create): Promise<BeadCreateInputBody> {
  if (!title?.trim()) throw usageError('title required')
  const description = options.bodyFile === undefined ? options.description : await bd.context.readFile(options.bodyFile)
  const metadata = { ...(await readMetadata(bd, options.metadata)), ...options.setMetadata, ...fieldsOf(options) }
  const labels = [...(options.labels ?? []), ...(options.label ?? [])]
  return {
    title,
    type: options.type,
    priority: options.priority,
    ...(description !== undefined && { description }),
    ...(options.assignee && { assignee: options.assignee }),
    ...(labels.length > 0 && { labels }),
    ...(options.parent && { parent: options.parent }),
    ...(options.defer && { defer_until: options.defer }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
}

/** The rig whose bead ids have a prefix; undefined for that of the city itself. */
async function rigOfPrefix(bd: BdContext, prefix: string): Promise<string | undefined> {
  const city = await bd.city()
  const wanted = prefix.replace(/-$/, '')
  const { items } = await city.call('GET ~/rigs')
  const rig = items.find((each) => each.prefix === wanted)
  if (rig) return rig.name
  const { prefix: own } = await city.call('GET ~/config').then(({ workspace }) => workspace)
  if (own === undefined || own === wanted) return undefined
  const prefixes = items.map((each) => `${each.prefix} (${each.name})`)
  throw failure(`no rig has the prefix ${wanted}; there are ${prefixes.join(', ') || 'none'}, and ${own} is the city’s`)
}

/** The metadata of `--metadata`: a JSON object, or `@` and a file of one. Values other than strings are kept as JSON. */
export async function readMetadata({ context }: BdContext, given: string | undefined): Promise<Record<string, string>> {
  if (given === undefined) return {}
  const text = given.startsWith('@') ? await context.readFile(given.slice(1)) : given
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object')
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, typeof each === 'string' ? each : JSON.stringify(each)]),
    )
  } catch {
    throw usageError(`--metadata must be a JSON object: ${given}`)
  }
}
