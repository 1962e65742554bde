import type { Command } from 'commander'
import { describeBlockers, openBlockers } from '../bead/blockers.ts'
import type { BdContext } from './context.ts'
import { toBare } from './issue.ts'

/** Beads whose dependencies are read immediately. */
const AT_ONCE = 16

export function blockedCommand(program: Command, bd: BdContext): void {
  program
    .command('blocked')
    .description('list blocked open beads')
    .option('--parent <bead>', 'only children of this bead')
    .action(bd.run((options: { parent?: string }) => blocked(bd, options)))
}

/** The open beads that wait for others, each with what it waits for. */
export async function blockedIssues(bd: BdContext, parent?: string) {
  const open = await bd.list({ rig: await bd.rig() })
  const waiting = open.filter((bead) => bead.is_blocked && (parent === undefined || bead.parent === parent))
  const blockers = new Map<string, string[]>()
  for (let at = 0; at < waiting.length; at += AT_ONCE) {
    const some = waiting.slice(at, at + AT_ONCE)
    await Promise.all(some.map(async ({ id }) => blockers.set(id, openBlockers(await bd.dependencies(id)))))
  }
  return (await bd.issues(waiting.map(({ id }) => id))).map((issue) => {
    const ids = blockers.get(issue.id) ?? []
    return { ...toBare(issue), blocked_by: ids, blocked_by_count: ids.length }
  })
}

async function blocked(bd: BdContext, { parent }: { parent?: string }): Promise<void> {
  const issues = await blockedIssues(bd, parent)
  if (bd.print.json) return bd.print.value(issues)
  if (issues.length === 0) return bd.print.line('No bead is blocked.')
  for (const { id, blocked_by: ids } of issues) {
    bd.print.bead(await bd.get(id))
    bd.print.line(`  ${ids.length > 0 ? 'waits for ' : ''}${describeBlockers(ids)}`)
  }
}
