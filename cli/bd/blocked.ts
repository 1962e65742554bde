import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import type { BdContext } from './context.ts'
import { toIssue } from './issue.ts'

/** The types of dependencies that keep a bead from being ready. */
const GATING = ['blocks', 'waits-for', 'conditional-blocks']

export function blockedCommand(program: Command, bd: BdContext): void {
  program
    .command('blocked')
    .description('list open beads that wait for others')
    .option('--parent <bead>', 'only children of this bead')
    .action(bd.run((options: { parent?: string }) => blocked(bd, options)))
}

async function blocked(bd: BdContext, { parent }: { parent?: string }): Promise<void> {
  const rig = await bd.rig()
  const open = await bd.list({ rig })
  const others = rig === undefined ? open : await bd.list({})
  const isOpen = new Map(others.map((bead) => [bead.id, bead]))
  const waiting = open.filter((bead) => bead.is_blocked && (parent === undefined || bead.parent === parent))
  const blockersOf = ({ dependencies = [] }: Bead) =>
    dependencies.filter(({ type }) => GATING.includes(type)).map(({ depends_on_id }) => depends_on_id)
  const listed = await Promise.all(
    waiting.map(async (bead) => {
      const ids = blockersOf(bead)
      const missing = await Promise.all(ids.map(async (id) => !isOpen.has(id) && (await bd.find(id)) === undefined))
      const blockers = ids.filter((id, at) => isOpen.has(id) || missing[at])
      return { bead, blockers }
    }),
  )
  if (bd.print.json) {
    const issues = listed.map(({ bead, blockers }) => ({
      ...toIssue(bead),
      blocked_by: blockers,
      blocked_by_count: blockers.length,
    }))
    return bd.print.value(issues)
  }
  if (listed.length === 0) return bd.print.line('No bead is blocked.')
  for (const { bead, blockers } of listed) {
    bd.print.bead(bead)
    bd.print.line(`  waits for ${blockers.map(sanitizeLine).join(', ')}`)
  }
}
