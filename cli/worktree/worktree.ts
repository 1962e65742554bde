import type { Command } from 'commander'
import { changedLines, type DiffTone, expandTabs, toneOfDiffLine } from '../../src/client/diff.ts'
import { type Colour, formatAge, paint, sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

export function worktreeCommands(program: Command, context: CommandContext): void {
  const worktree = program.command('worktree').description('the git worktrees of sessions')
  withWatch(
    withJson(
      worktree
        .command('list')
        .description('list worktrees in use, and those kept because they hold the only copy of some work'),
    ),
  ).action(watched(context, list))
  withWatch(withJson(worktree.command('diff').description('show what was changed in the worktree of a session')))
    .argument('<session>')
    .option('--stat', 'only how many lines of each file were changed')
    .action(watched(context, diff))
  withJson(
    worktree.command('fetch').description('bring what a session has committed so far into the repository of its rig'),
  )
    .argument('<session>')
    .action((session: string, options: JsonOption) => fetchWork(context, session, options))
  withJson(worktree.command('remove').description('remove the worktree of an ended session'))
    .argument('<session>')
    .option('--force', 'also when it holds the only copy of some work; its branch is kept')
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

async function diff(context: CommandContext, session: string, options: JsonOption & { stat?: true }): Promise<void> {
  const city = await context.city()
  const changes = await city.call('GET ~/worktree/{session}/diff', { params: { session } })
  const { io } = context
  if (options.json) return printJson(io, changes)
  if (changes.files_total === 0) return printLine(io, `Nothing was changed on ${sanitizeLine(changes.branch)}.`)
  if (options.stat) {
    for (const file of changes.files) printLine(io, sanitizeLine(`${changedLines(file).padEnd(12)} ${file.path}`))
    return
  }
  for (const line of changes.patch.split('\n')) {
    printLine(io, paint(sanitizeLine(expandTabs(line)), DIFF_COLOURS[toneOfDiffLine(line)], io.colour))
  }
  if (changes.cut) printLine(io, `The diff goes on: see it whole with git -C ${sanitizeLine(changes.path)} diff.`)
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
