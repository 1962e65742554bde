import { resolve } from 'node:path'
import type { Command } from 'commander'
import { changedLines, type DiffTone, expandTabs, toneOfDiffLine } from '../../src/client/diff.ts'
import { type Colour, formatAge, paint, sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, oldSpelling, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

export function worktreeCommands(program: Command, context: CommandContext): void {
  const worktree = program.command('worktree').description('manage the worktrees of sessions')
  withWatch(
    withJson(worktree.command('list').description('list worktrees in use, and kept ones with unsaved work')),
  ).action(watched(context, list))
  withWatch(withJson(worktree.command('diff').description('show changes in a worktree, in a snapshot or since it')))
    .argument('<session|snapshot>', 'session, or snapshot such as mc-1@3')
    .argument('[other-snapshot]', 'later snapshot of the session, or `worktree`')
    .option('--stat', 'only the number of changed lines of each file')
    .action(watched(context, diff))
  withWatch(withJson(worktree.command('snapshots').description('list saved states of worktrees')))
    .argument('[session]')
    .action(watched(context, snapshots))
  withJson(worktree.command('restore').description('restore a snapshot into a new branch or folder'))
    .argument('<snapshot>', 'snapshot, such as mc-1@3')
    .option('--branch <branch>', 'new branch; default is gc/restored/<session>-<number>')
    .option('--folder <folder>', 'new folder, instead of a branch')
    .addOption(oldSpelling('--to <folder>', 'folder'))
    .action((snapshot: string, options: RestoreOptions) => restore(context, snapshot, options))
  withJson(worktree.command('fetch').description('fetch the commits of a session into its rig'))
    .argument('<session>')
    .action((session: string, options: JsonOption) => fetchWork(context, session, options))
  withJson(worktree.command('remove').description('remove the worktree of an ended session'))
    .argument('<session>')
    .option('--force', 'remove it even with unsaved work')
    .action((session: string, options: JsonOption & { force?: true }) => remove(context, session, options))
}

async function list(context: CommandContext, options: JsonOption): Promise<void> {
  const city = await context.city()
  const all = await city.call('GET ~/worktrees')
  if (options.json) return printJson(context.io, all)
  const now = Date.now()
  printTable(
    context.io,
    all.items,
    [
      { header: 'SESSION', value: ({ session }) => session },
      { header: 'RIG', value: ({ rig }) => rig, minWidth: 6 },
      { header: 'WORK', value: ({ bead_id }) => bead_id },
      { header: 'BRANCH', value: ({ branch }) => branch, minWidth: 12 },
      { header: 'AGE', value: ({ created_at }) => formatAge(created_at, now) },
      { header: 'STATE', value: ({ in_use, kept }) => (in_use ? 'in use' : (kept ?? 'to be removed')), minWidth: 12 },
      { header: 'PATH', value: ({ path }) => path, minWidth: 12 },
    ],
    'No session has a worktree of its own; set `worktree = true` for an agent to give its sessions one each.',
  )
}

interface RestoreOptions extends JsonOption {
  branch?: string
  folder?: string
}

/** The parts of the id of a snapshot, such as `mc-1@3`. */
function parseSnapshot(id: string): { session: string; number: string } | undefined {
  const [, session, number] = /^(.+)@([0-9]{1,9})$/.exec(id) ?? []
  return session === undefined || number === undefined ? undefined : { session, number }
}

async function snapshots(context: CommandContext, session: string | undefined, options: JsonOption): Promise<void> {
  const city = await context.city()
  const all =
    session === undefined
      ? await city.call('GET ~/worktrees/snapshots')
      : await city.call('GET ~/worktree/{session}/snapshots', { params: { session } })
  if (options.json) return printJson(context.io, all)
  const now = Date.now()
  printTable(
    context.io,
    all.items,
    [
      { header: 'SNAPSHOT', value: ({ id }) => id },
      { header: 'AGE', value: ({ taken_at }) => formatAge(taken_at, now) },
      { header: 'BEFORE', value: ({ reason }) => (reason === 'activity' ? '' : reason) },
      { header: 'RIG', value: ({ rig }) => rig, minWidth: 6 },
      { header: 'WORK', value: ({ bead_id }) => bead_id },
      { header: 'COMMIT', value: ({ commit }) => commit?.slice(0, 12) },
      { header: 'LEFT OUT', value: ({ left_out, left_out_total }) => leftOut(left_out, left_out_total), minWidth: 12 },
    ],
    'There are no snapshots; gc takes them of the worktrees of sessions while these work.',
  )
}

function leftOut(files: readonly { path: string; reason: string }[], total: number): string {
  const [first] = files
  if (first === undefined) return ''
  const more = total > 1 ? ` and ${total - 1} more` : ''
  return `${first.path} (${first.reason})${more}`
}

async function restore(context: CommandContext, id: string, options: RestoreOptions): Promise<void> {
  const snapshot = parseSnapshot(id)
  if (snapshot === undefined) throw usageError(`${id} is not a snapshot; gc worktree snapshots lists them`)
  const { branch, folder } = options
  const city = await context.city()
  const restored = await city.call('POST ~/worktree/{session}/snapshot/{number}/restore', {
    params: snapshot,
    body: { ...(branch !== undefined && { branch }), ...(folder !== undefined && { folder: resolve(folder) }) },
  })
  if (options.json) return printJson(context.io, restored)
  const place =
    restored.folder ??
    `branch ${restored.branch ?? ''} of rig ${restored.rig} at ${restored.commit?.slice(0, 12) ?? ''}`
  printLine(context.io, `${restored.snapshot} is in ${sanitizeLine(place)}.`)
}

type DiffOptions = JsonOption & { stat?: true }

async function diff(
  context: CommandContext,
  from: string,
  other: string | undefined,
  options: DiffOptions,
): Promise<void> {
  const snapshot = parseSnapshot(from)
  if (snapshot !== undefined) return diffSnapshot(context, snapshot, other, options)
  if (other !== undefined) throw usageError(`${from} is not a snapshot; gc worktree snapshots ${from} lists them`)
  const city = await context.city()
  const changes = await city.call('GET ~/worktree/{session}/diff', { params: { session: from } })
  const more = `see it whole with git -C ${sanitizeLine(changes.path)} diff`
  printDiff(context.io, changes, { ...options, nothing: `Nothing was changed on ${changes.branch}.`, more })
}

async function diffSnapshot(
  context: CommandContext,
  { session, number }: { session: string; number: string },
  other: string | undefined,
  options: DiffOptions,
): Promise<void> {
  const later = other === undefined || other === 'worktree' ? other : otherNumber(other, session)
  const city = await context.city()
  const changes = await city.call('GET ~/worktree/{session}/snapshot/{number}/diff', {
    params: { session, number },
    query: { ...(later !== undefined && { other: later }) },
  })
  const more = `restore it with gc worktree restore ${session}@${number} --folder <folder>`
  printDiff(context.io, changes, { ...options, nothing: 'Nothing differs.', more })
}

function otherNumber(id: string, session: string): string {
  const snapshot = parseSnapshot(id)
  if (snapshot?.session === session) return snapshot.number
  throw usageError(`${id} is not a snapshot of ${session}; gc worktree snapshots ${session} lists them`)
}

interface Changes {
  readonly files: readonly (Parameters<typeof changedLines>[0] & { path: string })[]
  readonly files_total: number
  readonly patch: string
  readonly cut: boolean
}

function printDiff(
  io: CommandContext['io'],
  changes: Changes,
  { json, stat, nothing, more }: DiffOptions & { nothing: string; more: string },
): void {
  const { files, files_total, patch, cut } = changes
  if (json) printJson(io, changes)
  else if (files_total === 0) printLine(io, sanitizeLine(nothing))
  else if (stat) for (const file of files) printLine(io, sanitizeLine(`${changedLines(file).padEnd(12)} ${file.path}`))
  if (json || stat || files_total === 0) return
  for (const line of patch.split('\n')) {
    printLine(io, paint(sanitizeLine(expandTabs(line)), DIFF_COLOURS[toneOfDiffLine(line)], io.colour))
  }
  if (cut) printLine(io, `The diff is cut here: ${sanitizeLine(more)}.`)
}

const DIFF_COLOURS: Readonly<Record<DiffTone, Colour | undefined>> = {
  plain: undefined,
  strong: 'bold',
  good: 'green',
  bad: 'red',
  busy: 'cyan',
}

async function fetchWork(context: CommandContext, session: string, options: JsonOption): Promise<void> {
  const city = await context.city()
  const worktree = await city.call('POST ~/worktree/{session}/fetch', { params: { session } })
  if (options.json) return printJson(context.io, worktree)
  const commit = worktree.commit === undefined ? '' : ` at ${worktree.commit.slice(0, 12)}`
  printLine(
    context.io,
    `${sanitizeLine(worktree.branch)} of rig ${sanitizeLine(worktree.rig)} is${commit || ' up to date'}.`,
  )
}

async function remove(context: CommandContext, session: string, options: JsonOption & { force?: true }): Promise<void> {
  const city = await context.city()
  const response = await city.call('DELETE ~/worktree/{session}', {
    params: { session },
    query: { ...(options.force && { force: true }) },
  })
  if (options.json) return printJson(context.io, response)
  printLine(context.io, `The worktree of ${session} was removed.`)
}
