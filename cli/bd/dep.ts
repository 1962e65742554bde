import type { Command } from 'commander'
import { usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { toRelated } from './issue.ts'

export function dependencyCommands(program: Command, bd: BdContext): void {
  const dep = program.command('dep').description('the dependencies of beads')
  dep
    .command('link', { isDefault: true, hidden: true })
    .argument('<bead>')
    .option('--blocks <bead>', 'the bead that it blocks')
    .option('-b, --depends-on <bead>', 'the bead that it depends on')
    .action(bd.run((id: string, options: Link) => link(bd, id, options)))
  dep
    .command('add')
    .description('make a bead depend on another')
    .argument('<bead>')
    .argument('[on]', 'the bead it depends on')
    .option('-t, --type <type>', 'blocks, waits-for, tracks, parent-child …', 'blocks')
    .option('--depends-on <bead>', 'the same as the second argument')
    .action(
      bd.run((id: string, on: string | undefined, options: { type: string; dependsOn?: string }) =>
        add(bd, id, on ?? options.dependsOn, options.type),
      ),
    )
  dep
    .command('remove')
    .alias('rm')
    .description('remove a dependency')
    .argument('<bead>')
    .argument('<on>')
    .action(bd.run((id: string, on: string) => remove(bd, id, on)))
  dep
    .command('list')
    .description('what a bead depends on, or what depends on it')
    .argument('<bead>')
    .option('--direction <way>', 'down: what it depends on; up: what depends on it', 'down')
    .option('-t, --type <type>', 'only of this type')
    .action(bd.run((id: string, options: { direction: string; type?: string }) => list(bd, id, options)))
}

interface Link {
  blocks?: string
  dependsOn?: string
}

/** `bd dep a --blocks b`: b depends on a. */
async function link(bd: BdContext, id: string, { blocks, dependsOn }: Link): Promise<void> {
  if (blocks !== undefined) return add(bd, blocks, id, 'blocks')
  if (dependsOn !== undefined) return add(bd, id, dependsOn, 'blocks')
  throw usageError('say what to do: `bd dep add <bead> <on>`, `bd dep list <bead>`, `bd dep <bead> --blocks <other>`')
}

async function add(bd: BdContext, id: string, on: string | undefined, type: string): Promise<void> {
  if (!on) throw usageError('name the bead it depends on: `bd dep add <bead> <on>`')
  const city = await bd.city()
  await city.call('POST ~/bead/{id}/deps', { params: { id }, body: { depends_on_id: on, type } })
  if (bd.print.json) return bd.print.value({ issue_id: id, depends_on_id: on, type, status: 'added' })
  bd.print.line(`✓ Added dependency: ${id} depends on ${on} (${type})`)
}

async function remove(bd: BdContext, id: string, on: string): Promise<void> {
  const city = await bd.city()
  await city.call('DELETE ~/bead/{id}/deps/{depends_on_id}', { params: { id, depends_on_id: on } })
  if (bd.print.json) return bd.print.value({ issue_id: id, depends_on_id: on, status: 'removed' })
  bd.print.line(`✓ Removed dependency: ${id} no longer depends on ${on}`)
}

async function list(
  bd: BdContext,
  id: string,
  { direction, type }: { direction: string; type?: string },
): Promise<void> {
  if (direction !== 'down' && direction !== 'up') throw usageError('--direction is down or up')
  const { depends_on, dependents } = await bd.dependencies(id)
  const relations = direction === 'down' ? depends_on : dependents
  const related = toRelated(relations, await bd.issues(relations.map((relation) => relation.id)))
  const shown = related.filter(({ dependency_type }) => type === undefined || dependency_type === type)
  if (bd.print.json) return bd.print.value(shown)
  if (shown.length === 0) return bd.print.line(`${id} has none.`)
  for (const each of shown)
    bd.print.line(`${each.id}: ${each.title} [P${each.priority}] (${each.status}) via ${each.dependency_type}`)
}
