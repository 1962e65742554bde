import { type Command, Option } from 'commander'
import { isRecord, parseJson } from '../../src/client/json.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import { parseStatus } from '../bead/status.ts'
import { parseCount } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { toRelated } from './issue.ts'
import type { TreeOptions } from './tree.ts'

export function dependencyCommands(program: Command, bd: BdContext): void {
  const dep = program.command('dep').description('manage dependencies of beads')
  dep
    .command('link', { isDefault: true, hidden: true })
    .argument('<bead>')
    .option('--no-cycle-check', 'accepted')
    .option('--blocks <bead>', 'the bead that it blocks')
    .option('-b, --depends-on <bead>', 'the bead that it depends on')
    .action(bd.run((id: string, options: Link) => link(bd, id, options)))
  dep
    .command('add')
    .description('make a bead depend on another')
    .argument('[bead]')
    .argument('[on]', 'bead it depends on')
    .option('--file <file>', 'JSON Lines file with "from" and "to"; - for standard input')
    .option('-t, --type <type>', 'blocks, waits-for, tracks, parent-child …', 'blocks')
    .option('--depends-on <bead>', 'same as the second argument')
    .option('--blocked-by <bead>', 'same as the second argument')
    .option('--no-cycle-check', 'accepted: gc rejects dependency cycles')
    .action(
      bd.run((id: string | undefined, on: string | undefined, options: Add) =>
        options.file === undefined
          ? add(bd, id, on ?? options.dependsOn ?? options.blockedBy, options.type)
          : addAll(bd, options.file, options.type),
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
    .description('list dependencies of a bead, or its dependents')
    .argument('<bead>')
    .option('--direction <way>', 'down for dependencies, up for dependents', 'down')
    .option('-t, --type <type>', 'only this type')
    .action(bd.run((id: string, options: { direction: string; type?: string }) => list(bd, id, options)))
  graphCommands(dep, bd)
}

/** Commands on more than one dependency. */
function graphCommands(dep: Command, bd: BdContext): void {
  for (const [verb, description] of [
    ['relate', 'relate two beads without a dependency'],
    ['unrelate', 'remove the relation of two beads'],
  ] as const) {
    dep
      .command(verb)
      .description(description)
      .argument('<bead>')
      .argument('<other>')
      .action(bd.run((id: string, other: string) => relate(bd, verb, id, other)))
  }
  dep
    .command('tree')
    .description('show the dependencies of a bead as a tree')
    .argument('<bead>')
    .addOption(new Option('--direction <way>', 'down for dependencies, up for dependents').choices(WAYS))
    .option('--reverse', 'same as --direction up')
    .option('-d, --max-depth <n>', 'maximum depth', parseCount, 50)
    .option('--depth <n>', 'same as --max-depth', parseCount)
    .option('--show-all-paths', 'repeat a bead at every place')
    .option('-s, --status <status>', 'only this status', parseStatus)
    .addOption(new Option('--format <format>', 'output format').choices(['mermaid', 'json']))
    .action(bd.run(async (id: string, options: TreeOptions) => (await import('./tree.ts')).tree(bd, id, options)))
  dep
    .command('cycles')
    .description('list dependency cycles')
    .action(bd.run(() => cycles(bd)))
}

const WAYS = ['down', 'up', 'both'] as const

interface Add {
  type: string
  dependsOn?: string
  blockedBy?: string
  file?: string
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

/** Adds the dependencies of a file: all its lines are read before the first is added. */
async function addAll(bd: BdContext, file: string, initial: string): Promise<void> {
  const lines = (await bd.context.readFile(file)).split('\n').filter((line) => line.trim() !== '')
  const edges = lines.map((line, at) => {
    const edge = parseJson(line)
    const [from, to] = isRecord(edge) ? [edge.from ?? edge.issue_id, edge.to ?? edge.depends_on_id] : []
    if (typeof from !== 'string' || typeof to !== 'string') throw failure(`line ${at + 1} has no "from" and "to"`)
    const type = isRecord(edge) && typeof edge.type === 'string' ? edge.type : initial
    return { issue_id: from, depends_on_id: to, type }
  })
  const city = await bd.city()
  for (const { issue_id: id, depends_on_id, type } of edges)
    await city.call('POST ~/bead/{id}/deps', { params: { id }, body: { depends_on_id, type } })
  if (bd.print.json) return bd.print.value({ added: edges, count: edges.length, status: 'added' })
  bd.print.line(`✓ Added ${edges.length} dependencies`)
}

async function add(bd: BdContext, id: string | undefined, on: string | undefined, type: string): Promise<void> {
  if (!id || !on) throw usageError('name the bead it depends on: `bd dep add <bead> <on>`')
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

async function relate(bd: BdContext, verb: 'relate' | 'unrelate', id: string, other: string): Promise<void> {
  if (id === other) throw usageError('a bead cannot be related to itself; name two')
  const city = await bd.city()
  const pairs = [
    [id, other],
    [other, id],
  ] as const
  const type = 'relates-to'
  for (const [from, to] of pairs) {
    if (verb === 'relate') {
      await city.call('POST ~/bead/{id}/deps', { params: { id: from }, body: { depends_on_id: to, type } })
    } else {
      const call = { params: { id: from, depends_on_id: to }, query: { type } }
      await city.call('DELETE ~/bead/{id}/deps/{depends_on_id}', call)
    }
  }
  if (bd.print.json) return bd.print.value({ id1: id, id2: other, [verb === 'relate' ? 'related' : 'unrelated']: true })
  bd.print.line(`✓ ${verb === 'relate' ? 'Linked' : 'Unlinked'} ${id} and ${other}`)
}

async function cycles(bd: BdContext): Promise<void> {
  const { findCycles } = await import('./tree.ts')
  const found = await findCycles(bd)
  if (bd.print.json) return bd.print.value(found)
  if (found.length === 0) return bd.print.line('No beads wait for each other.')
  for (const cycle of found) bd.print.line(sanitizeLine(cycle.map(({ id }) => id).join(' → ')))
}
