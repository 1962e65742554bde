import type { Command } from 'commander'
import { plain } from '../../src/client/text.ts'
import type { BeadCreateInputBody } from '../../src/work/beads/schema.ts'
import { createNeeding } from '../context/create.ts'
import { pair, priority, several } from '../context/options.ts'
import { failure, misuse } from '../io/exit.ts'
import type { Desk } from './desk.ts'
import { toIssue } from './issue.ts'
import { level } from './print.ts'

interface Create {
  title?: string
  description?: string
  bodyFile?: string
  type: string
  priority: number
  assignee?: string
  labels?: string[]
  parent?: string
  deps?: string[]
  metadata?: string
  setMetadata?: Record<string, string>
  defer?: string
  id?: string
  silent?: true
}

export function createCommand(program: Command, desk: Desk): void {
  program
    .command('create')
    .alias('new')
    .description('create a bead')
    .argument('[title]')
    .option('--title <title>', 'the title, instead of the argument')
    .option('-d, --description <text>')
    .option('--body-file <file>', 'read the description from a file; - for standard input')
    .option('-t, --type <type>', 'task, bug, feature, epic, chore …', 'task')
    .option('-p, --priority <level>', '0 to 4, or P0 to P4', priority, 2)
    .option('-a, --assignee <who>')
    .option('-l, --labels <labels>', 'separated by commas', several)
    .option('--parent <bead>')
    .option('--deps <deps>', 'beads it depends on: `id` or `type:id`, separated by commas', several)
    .option('--metadata <json>', 'keys and values, as a JSON object')
    .option('--set-metadata <key=value>', 'may be repeated', pair)
    .option('--defer <moment>', 'not ready before this')
    .option('--id <id>', 'refused: ids are given by the city')
    .option('--silent', 'print the id alone')
    .action(desk.run((title: string | undefined, options: Create) => create(desk, title, options)))
}

async function create(desk: Desk, title: string | undefined, options: Create): Promise<void> {
  if (options.id !== undefined) throw failure('a bead gets its id from the city; leave --id away')
  const body = await bodyOf(desk, title ?? options.title, options)
  const city = await desk.city()
  const rig = await desk.rig()
  const made = await createNeeding(city, { ...body, ...(rig && { rig }), needs: options.deps ?? [] })
  if (desk.print.json) return desk.print.value(toIssue(made))
  if (options.silent) return desk.print.line(made.id)
  desk.print.line(`✓ Created issue: ${made.id} — ${plain(made.title)}`)
  desk.print.line(`  Priority: ${level(made)}\n  Status: ${made.status}`)
}

async function bodyOf(desk: Desk, title: string | undefined, options: Create): Promise<BeadCreateInputBody> {
  if (!title?.trim()) throw misuse('title required')
  const description = options.bodyFile === undefined ? options.description : await desk.here.text(options.bodyFile)
  const metadata = { ...metadataOf(options.metadata), ...options.setMetadata }
  return {
    title,
    type: options.type,
    priority: options.priority,
    ...(description !== undefined && { description }),
    ...(options.assignee && { assignee: options.assignee }),
    ...(options.labels && { labels: options.labels }),
    ...(options.parent && { parent: options.parent }),
    ...(options.defer && { defer_until: options.defer }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
}

/** `--metadata '{"key": "value"}'`; values that are not text are written as JSON. */
export function metadataOf(text: string | undefined): Record<string, string> {
  if (text === undefined) return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object')
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, typeof each === 'string' ? each : JSON.stringify(each)]),
    )
  } catch {
    throw misuse(`--metadata must be a JSON object: ${text}`)
  }
}
