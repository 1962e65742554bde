import type { Command } from 'commander'
import { ApiError } from '../../src/client/errors.ts'
import { countOf, sanitizeLine } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import { collectList, collectPair, parseDurationOption } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import { confirm } from '../io/io.ts'
import type { BdContext } from './context.ts'
import { bareIssues, loadMolecule, membersOf, rootOf } from './molecule.ts'

/** Commands on molecules: a bead with everything below it. */
export function moleculeCommands(program: Command, bd: BdContext): void {
  const mol = program.command('mol').description('manage molecules: a bead and its steps')
  mol
    .command('current')
    .description('show your position in a molecule')
    .argument('[molecule]', 'molecule; default is that of your beads')
    .option('--for <who>', 'session whose work to show; default is yours')
    .option('--limit <n>', 'accepted')
    .option('--range <range>', 'accepted')
    .action(bd.run((id: string | undefined, options: { for?: string }) => current(bd, id, options)))
  mol
    .command('show')
    .description('show a molecule with its steps')
    .argument('<molecule>')
    .option('-p, --parallel', 'accepted: `bd mol current` marks ready steps')
    .action(bd.run((id: string) => show(bd, id)))
  mol
    .command('progress')
    .description('count the steps of a molecule')
    .argument('[molecule]')
    .action(bd.run((id: string | undefined) => progress(bd, id)))
  mol
    .command('burn')
    .description('remove a wisp with its steps, or close a molecule')
    .argument('<molecules...>')
    .option('-f, --force', 'skip the confirmation; include beads in progress elsewhere')
    .option('-y, --yes', 'same as --force')
    .option('--dry-run', 'print the plan and change nothing')
    .action(bd.run((ids: string[], options: Burn) => burn(bd, ids, options)))
  mol
    .command('squash')
    .description('replace the wisps of a molecule by one closed summary')
    .argument('<molecule>')
    .option('--summary <text>', 'summary; default lists the steps')
    .option('--keep-children', 'keep its wisps')
    .option('--dry-run', 'show the plan and change nothing')
    .action(bd.run((id: string, options: Squash) => squash(bd, id, options)))
  wispCommands(mol, bd)
}

interface Pour {
  rootOnly?: true
  var?: Record<string, string>
  assignee?: string
  attach?: string
  dryRun?: true
}

/** Makes the beads of a formula; packs read `new_epic_id`. */
async function pour(bd: BdContext, name: string, options: Pour, ephemeral: boolean): Promise<void> {
  const { rootOnly, var: vars, assignee, dryRun, attach } = options
  if (attach !== undefined)
    throw failure('a formula cannot be attached to another one; pour it separately, or extend it')
  const city = await bd.city()
  const rig = await bd.rig()
  if (dryRun) {
    const compile = { params: { name }, body: { ...(vars && { vars }), ...(rig && { rig }) } }
    const { steps } = await city.call('POST ~/formulas/{name}/compile', compile)
    if (bd.print.json) return bd.print.value({ formula: name, would_create: steps.length, dry_run: true })
    return bd.print.line(`${name} would make ${steps.length} beads`)
  }
  const body = { ...(vars && { vars }), ...(rig && { rig }), ephemeral, ...(rootOnly && { root_only: true }) }
  const { root_id, created, id_mapping } = await city.call('POST ~/formulas/{name}/cook', { params: { name }, body })
  if (assignee !== undefined) await city.call('PATCH ~/bead/{id}', { params: { id: root_id }, body: { assignee } })
  if (bd.print.json) return bd.print.value({ new_epic_id: root_id, id_mapping, created })
  bd.print.line(`✓ ${ephemeral ? 'Created wisp' : 'Poured molecule'} ${root_id}: ${countOf(created, 'bead')}`)
}

function wispCommands(mol: Command, bd: BdContext): void {
  const wisp = mol.command('wisp').description('manage molecules of bookkeeping')
  for (const [command, isEphemeral] of [
    [mol.command('pour').description("create a formula's beads"), false],
    [wisp.command('create', { isDefault: true }).description("create a formula's beads as bookkeeping"), true],
  ] as const) {
    command
      .argument('<formula>')
      .option('--root-only', 'create only the root')
      .option('--var <key=value>', 'a variable of the formula; may be repeated', collectPair)
      .option('--assignee <who>', 'assignee of the root')
      .option('--attach <formula>', 'not supported: a formula can extend another')
      .option('--dry-run', 'check the formula and create nothing')
      .action(bd.run((name: string, options: Pour) => pour(bd, name, options, isEphemeral)))
  }
  wisp
    .command('list')
    .description('list open wisps')
    .option('--all', 'include closed beads')
    .option('--type <type>', 'only this type')
    .action(
      bd.run(async ({ all, type }: { all?: true; type?: string }) => {
        const wisps = (await listWisps(bd, all)).filter(
          (each) => type === undefined || each.metadata?.wisp_type === type,
        )
        if (bd.print.json)
          return bd.print.value({
            wisps: await bareIssues(
              bd,
              wisps.map(({ id }) => id),
            ),
            count: wisps.length,
          })
        if (wisps.length === 0) return bd.print.line('No wisps found')
        for (const each of wisps) bd.print.bead(each)
      }),
    )
  wisp
    .command('gc')
    .description('close abandoned wisps')
    .option('--age <duration>', 'minimum time without a change', parseDurationOption, 3_600_000)
    .option('--all', 'accepted')
    .option('--closed', 'accepted: gc removes closed wisps automatically')
    .option('--exclude-type <types>', 'exclude these types', collectList)
    .option('-f, --force', 'accepted: gc never asks here')
    .option('--dry-run', 'list matches and change nothing')
    .action(bd.run((options: Collect) => collect(bd, options)))
}

/** Open bookkeeping that is not a record of the city and that no one works on. */
const listWisps = async (bd: BdContext, all?: true): Promise<Bead[]> =>
  (await bd.list({ all })).filter(
    ({ ephemeral, issue_type }) => ephemeral && !['message', 'session', 'wait', 'gate'].includes(issue_type),
  )

interface Collect {
  age: number
  excludeType?: string[]
  dryRun?: true
}

async function collect(bd: BdContext, { age, excludeType = [], dryRun }: Collect): Promise<void> {
  const before = Date.now() - age
  const isAbandoned = ({ updated_at, created_at, status, issue_type }: Bead) =>
    status === 'open' && !excludeType.includes(issue_type) && Date.parse(updated_at ?? created_at) < before
  const candidates = (await listWisps(bd)).filter(isAbandoned)
  const ids = candidates.map(({ id }) => id)
  if (!dryRun) await closeAll(bd, ids)
  if (bd.print.json) {
    const result = dryRun
      ? { dry_run: true, candidates: await bareIssues(bd, ids), cleaned_count: 0 }
      : { cleaned_ids: ids, cleaned_count: ids.length }
    return bd.print.value(result)
  }
  for (const each of candidates) bd.print.bead(each)
  bd.print.line(dryRun ? `${ids.length} would be closed` : `✓ Cleaned ${ids.length} wisps`)
}

async function closeAll(bd: BdContext, ids: readonly string[]): Promise<void> {
  const city = await bd.city()
  for (const id of ids) await city.call('DELETE ~/bead/{id}', { params: { id } })
}

interface Burn {
  force?: true
  yes?: true
  dryRun?: true
}

interface BurnResult {
  molecule_id: string
  deleted_ids: string[]
  deleted_count: number
  /** Those that are work: they were closed, and stay as history. */
  closed_ids?: string[]
}

async function burn(bd: BdContext, ids: readonly string[], { force, yes, dryRun }: Burn): Promise<void> {
  if (dryRun) return previewBurn(bd, ids)
  const isSure = force || yes || bd.print.json
  if (!isSure && !(await isConfirmed(bd, ids))) throw failure('nothing was thrown away')
  const results: BurnResult[] = []
  const errors: string[] = []
  for (const id of ids) {
    try {
      results.push(await burnOne(bd, id, force ?? yes))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      errors.push(error.sentence)
    }
  }
  if (results.length === 0) throw bd.print.failure(errors.join('\n'))
  const total = results.reduce((sum, each) => sum + each.deleted_count, 0)
  if (bd.print.json) {
    const all = { results, total_deleted: total, failed_count: errors.length }
    bd.print.value(ids.length === 1 && results[0] ? results[0] : all)
  } else {
    bd.print.line(`✓ Burned ${countOf(results.length, 'molecule')}: ${countOf(total, 'bead')}`)
    for (const each of errors) bd.print.error(each)
  }
  if (errors.length > 0) throw bd.partialFailure()
}

async function isConfirmed({ context }: BdContext, ids: readonly string[]): Promise<boolean> {
  if (!context.io.isInteractive)
    throw failure(
      'burning removes the wisp for good and asks first, which needs a terminal; add --force to burn it without',
    )
  return confirm(context.io, `Throw away ${ids.join(', ')} with everything below?`)
}

async function burnOne(bd: BdContext, id: string, force: true | undefined): Promise<BurnResult> {
  const query = { ...(force && { force }) }
  const { deleted, closed } = await (await bd.city()).call('POST ~/bead/{id}/burn', { params: { id }, query })
  return {
    ...{ molecule_id: id, deleted_ids: [...deleted, ...closed], deleted_count: deleted.length + closed.length },
    ...(closed.length > 0 && { closed_ids: closed }),
  }
}

async function previewBurn(bd: BdContext, ids: readonly string[]): Promise<void> {
  const results = []
  for (const id of ids) {
    const root = await bd.get(id)
    const members = (await membersOf(bd, id)).filter((bead) => bead.ephemeral || !root.ephemeral)
    results.push({ molecule_id: id, would_delete: members.map((bead) => bead.id) })
    if (bd.print.json) continue
    bd.print.line(`Would throw away ${members.length} beads:`)
    for (const bead of members) bd.print.bead(bead, '  ')
  }
  if (bd.print.json) bd.print.value({ dry_run: true, results })
}

interface Squash {
  summary?: string
  keepChildren?: true
  dryRun?: true
}

async function squash(bd: BdContext, id: string, { summary, keepChildren, dryRun }: Squash): Promise<void> {
  const root = await bd.get(id)
  const wisps = (await membersOf(bd, id)).filter((bead) => bead.ephemeral)
  const known = { molecule_id: id, squashed_ids: wisps.map((bead) => bead.id), squashed_count: wisps.length }
  if (dryRun || wisps.length === 0) {
    if (bd.print.json) return bd.print.value({ ...known, dry_run: dryRun === true })
    return bd.print.line(`${wisps.length} wisps ${dryRun ? 'would be' : 'to be'} squashed.`)
  }
  const city = await bd.city()
  const rig = await bd.rig()
  const steps = wisps.map((bead) => `- ${bead.id} [${bead.status}] ${bead.title}`)
  const body = {
    title: `Digest: ${root.title}`.slice(0, 500),
    description: summary ?? steps.join('\n'),
    ...(rig && { rig }),
    ...(!root.ephemeral && { parent: id }),
  }
  const digest = await city.call('POST ~/beads', { body })
  const reason = { status: 'closed', metadata: { close_reason: `squashed from ${countOf(wisps.length, 'wisp')}` } }
  await city.call('PATCH ~/bead/{id}', { params: { id: digest.id }, body: reason })
  if (!keepChildren) await throwAway(bd, root, wisps)
  const result = { ...known, digest_id: digest.id, kept_children: keepChildren === true }
  if (bd.print.json) return bd.print.value(result)
  bd.print.line(`✓ Squashed ${wisps.length} wisps into ${digest.id}`)
}

/** Throws away wisps: with the root, when that is one, or else those at the top among them. */
async function throwAway(bd: BdContext, root: Bead, wisps: readonly Bead[]): Promise<void> {
  const ids = new Set(wisps.map((bead) => bead.id))
  const tops = root.ephemeral ? [root] : wisps.filter(({ parent }) => parent === undefined || !ids.has(parent))
  for (const { id } of tops) await burnOne(bd, id, true)
}

/** The molecules of a name's work, or the one that is named. */
async function find(bd: BdContext, id: string | undefined, who?: string) {
  if (id !== undefined) return [await loadMolecule(bd, id)]
  const begun = await bd.list({ status: 'in_progress', assignee: who ?? bd.caller })
  const roots = new Set<string>()
  for (const bead of begun) {
    const root = await rootOf(bead, (parent) => bd.find(parent))
    if (root !== undefined) roots.add(root)
  }
  return Promise.all([...roots].sort().map((root) => loadMolecule(bd, root)))
}

async function current(bd: BdContext, id: string | undefined, options: { for?: string }): Promise<void> {
  const molecules = await find(bd, id, options.for)
  if (bd.print.json) return bd.print.value(molecules)
  if (molecules.length === 0) return bd.print.line('No molecules in progress.')
  for (const { molecule_id, molecule_title, steps, completed, total } of molecules) {
    bd.print.line(`${molecule_id}: ${sanitizeLine(molecule_title)}`)
    for (const { issue, status, is_current } of steps)
      bd.print.line(`  [${status}] ${issue.id}: ${sanitizeLine(issue.title)}${is_current ? ' <- you are here' : ''}`)
    bd.print.line(`${completed}/${total} steps complete`)
  }
}

async function show(bd: BdContext, id: string): Promise<void> {
  const root = await bd.get(id)
  const members = await membersOf(bd, id)
  if (bd.print.json) {
    const dependencies = members.flatMap((bead) => bead.dependencies ?? [])
    const [rootIssue] = await bareIssues(bd, [root.id])
    return bd.print.value({
      root: rootIssue,
      issues: await bareIssues(
        bd,
        members.map((bead) => bead.id),
      ),
      dependencies,
      is_compound: false,
    })
  }
  for (const bead of members) bd.print.bead(bead, bead.id === id ? '' : '  ')
}

async function progress(bd: BdContext, id: string | undefined): Promise<void> {
  const [molecule] = await find(bd, id)
  if (!molecule) throw usageError('name the molecule: you work on none')
  const { molecule_id, molecule_title, completed, total, steps } = molecule
  const begun = steps.filter(({ is_current }) => is_current).length
  const percent = total === 0 ? 0 : (100 * completed) / total
  if (bd.print.json)
    return bd.print.value({ molecule_id, molecule_title, completed, total, in_progress: begun, percent })
  bd.print.line(`${molecule_id}: ${completed}/${total} steps complete (${Math.round(percent)} %)`)
}
