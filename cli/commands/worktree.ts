import type { Command } from 'commander'
import { ago } from '../../src/client/text.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { json, line } from '../io/io.ts'
import { table } from '../io/table.ts'

export function worktreeCommands(program: Command, here: Here): void {
  const worktree = program.command('worktree').description('the git worktrees that sessions work in')
  withJson(
    worktree.command('list').description('list those in use, and those kept for work that is nowhere else'),
  ).action((options: Json) => list(here, options))
  withJson(worktree.command('remove').description('remove the worktree of a session that is over'))
    .argument('<session>')
    .option('--force', 'also when something in it is nowhere else; its branch stays')
    .action((session: string, options: Json & { force?: true }) => remove(here, session, options))
}

async function list(here: Here, options: Json): Promise<void> {
  const city = await here.city()
  const all = await city.call('GET ~/worktrees')
  if (options.json) return json(here.io, all)
  const now = Date.now()
  table(
    here.io,
    all.items,
    [
      { head: 'SESSION', of: ({ session }) => session },
      { head: 'RIG', of: ({ rig }) => rig, least: 6 },
      { head: 'WORK', of: ({ bead_id }) => bead_id },
      { head: 'BRANCH', of: ({ branch }) => branch, least: 12 },
      { head: 'AGE', of: ({ created_at }) => ago(created_at, now) },
      { head: 'STATE', of: ({ in_use, kept }) => (in_use ? 'in use' : (kept ?? 'to be removed')), least: 12 },
      { head: 'PATH', of: ({ path }) => path, least: 12 },
    ],
    'No session has a worktree of its own; `worktree = true` gives an agent’s sessions one each.',
  )
}

async function remove(here: Here, session: string, options: Json & { force?: true }): Promise<void> {
  const city = await here.city()
  const said = await city.call('DELETE ~/worktree/{session}', {
    params: { session },
    query: { ...(options.force && { force: true }) },
  })
  if (options.json) return json(here.io, said)
  line(here.io, `The worktree of ${session} is removed.`)
}
