import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import { collectPair, parseDurationOption } from '../context/options.ts'
import { readItems } from '../context/pages.ts'
import { failure, usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { toBare } from './issue.ts'
import { progressOf, rootOf } from './molecule.ts'

/** Commands on molecules: a bead with everything below it. */
export function moleculeCommands(program: Command, bd: BdContext): void {
  const mol = program.command('mol').description('molecules: a bead and the steps below it')
  mol
    .command('current')
    .description('show where you are in a molecule')
    .argument('[molecule]', 'default is that of the beads you work on')
    .option('--for <who>', 'whose work, instead of your own')
    .option('--limit <n>', 'accepted')
    .option('--range <range>', 'accepted')
    .action(bd.run((id: string | undefined, options: { for?: string }) => current(bd, id, options)))
  mol
    .command('show')
    .description('show a molecule with its steps')
    .argument('<molecule>')
    .action(bd.run((id: string) => show(bd, id)))
  mol
    .command('progress')
    .description('count the steps of a molecule')
    .argument('[molecule]')
    .action(bd.run((id: string | undefined) => progress(bd, id)))
  mol
    .command('burn')
    .description('close a molecule with all its steps; gc keeps closed beads as history')
    .argument('<molecules...>')
    .option('-f, --force', 'accepted: nothing is asked')
    .option('--dry-run', 'only list what would be closed')
    .action(bd.run((ids: string[], options: { dryRun?: true }) => burn(bd, ids, options)))
  wispCommands(mol, bd)
}

interface Pour {
  rootOnly?: true
  var?: Record<string, string>
}

/** Makes the beads of a formula; packs read `new_epic_id`. */
async function pour(bd: BdContext, name: string, { rootOnly, var: vars }: Pour, ephemeral: boolean): Promise<void> {
  const city = await bd.city()
  const rig = await bd.rig()
  const body = { ...(vars && { vars }), ...(rig && { rig }), ephemeral, ...(rootOnly && { root_only: true }) }
  const { root_id, created, id_mapping } = await city.call('POST ~/formulas/{name}/cook', { params: { name }, body })
  if (bd.print.json) return bd.print.value({ new_epic_id: root_id, id_mapping, created })
  bd.print.line(`✓ ${ephemeral ? 'Created wisp' : 'Poured molecule'} ${root_id}: ${created} beads`)
}

function wispCommands(mol: Command, bd: BdContext): void {
  const wisp = mol.command('wisp').description('molecules of bookkeeping')
  for (const [command, isEphemeral] of [
    [mol.command('pour').description('make the beads of a formula'), false],
    [wisp.command('create', { isDefault: true }).description('make the beads of a formula, as bookkeeping'), true],
  ] as const) {
    command
      .argument('<formula>')
      .option('--root-only', 'only the root')
      .option('--var <key=value>', 'a variable of the formula; may be repeated', collectPair)
      .action(bd.run((name: string, options: Pour) => pour(bd, name, options, isEphemeral)))
  }
  for (const name of ['bond', 'squash']) {
    mol
      .command(name, { hidden: true })
      .argument('[words...]')
      .allowUnknownOption()
      .action(
        bd.run(async () => {
          throw failure(
            `gc has no \`bd mol ${name}\`: make the beads with \`bd mol pour\`, close them with \`bd mol burn\``,
          )
        }),
      )
  }
  wisp
    .command('list')
    .description('list open ones')
    .action(
      bd.run(async () => {
        const wisps = await listWisps(bd)
        if (bd.print.json) return bd.print.value({ wisps: await bareIssues(bd, wisps), count: wisps.length })
        if (wisps.length === 0) return bd.print.line('No wisps found')
        for (const each of wisps) bd.print.bead(each)
      }),
    )
  wisp
    .command('gc')
    .description('close abandoned ones')
    .option('--age <duration>', 'how long nothing has changed', parseDurationOption, 3_600_000)
    .option('--all', 'accepted')
    .option('--dry-run', 'only list them')
    .action(bd.run((options: { age: number; dryRun?: true }) => collect(bd, options)))
}

/** Open bookkeeping that is no record of the city and that nobody works on. */
const listWisps = async (bd: BdContext): Promise<Bead[]> =>
  (await bd.list({})).filter(
    ({ ephemeral, issue_type }) => ephemeral && !['message', 'session', 'wait', 'gate'].includes(issue_type),
  )

async function collect(bd: BdContext, { age, dryRun }: { age: number; dryRun?: true }): Promise<void> {
  const before = Date.now() - age
  const isAbandoned = ({ updated_at, created_at, status }: Bead) =>
    status === 'open' && Date.parse(updated_at ?? created_at) < before
  const candidates = (await listWisps(bd)).filter(isAbandoned)
  const ids = candidates.map(({ id }) => id)
  if (!dryRun) await closeAll(bd, ids)
  if (bd.print.json) {
    const result = dryRun
      ? { dry_run: true, candidates: await bareIssues(bd, candidates), cleaned_count: 0 }
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

async function burn(bd: BdContext, ids: readonly string[], { dryRun }: { dryRun?: true }): Promise<void> {
  const results = []
  for (const id of ids) {
    const members = (await membersOf(bd, id)).filter(({ status }) => status !== 'closed').map((bead) => bead.id)
    if (!dryRun) await closeAll(bd, [...members].reverse())
    results.push({ molecule_id: id, deleted_ids: members, deleted_count: members.length })
  }
  const total = results.reduce((sum, each) => sum + each.deleted_count, 0)
  if (bd.print.json) {
    const [only, ...others] = results
    return bd.print.value(only && others.length === 0 ? only : { results, total_deleted: total, failed_count: 0 })
  }
  bd.print.line(dryRun ? `${total} beads would be closed` : `✓ Burned ${ids.length} molecules: ${total} beads closed`)
}

/** A bead and everything that belongs to it, oldest first. */
async function membersOf(bd: BdContext, id: string): Promise<Bead[]> {
  const city = await bd.city()
  const call = (cursor: string | undefined) =>
    city.call('GET ~/beads/graph/{rootID}/beads', { params: { rootID: id }, query: { limit: 1000, cursor } })
  return readItems(call)
}

const bareIssues = async (bd: BdContext, beads: readonly Bead[]) =>
  (await bd.issues(beads.map(({ id }) => id))).map(toBare)

async function load(bd: BdContext, id: string) {
  const members = await membersOf(bd, id)
  return progressOf(await bd.get(id), members, await bareIssues(bd, members))
}

/** The molecules of a name's work, or the one that is named. */
async function find(bd: BdContext, id: string | undefined, who?: string) {
  if (id !== undefined) return [await load(bd, id)]
  const { BEADS_ACTOR, GC_SESSION_ID, GC_AGENT } = bd.context.io.env
  const assignee = who ?? GC_SESSION_ID ?? BEADS_ACTOR ?? GC_AGENT
  const begun = await bd.list({ status: 'in_progress', assignee })
  const roots = new Set<string>()
  for (const bead of begun) {
    const root = await rootOf(bead, (parent) => bd.find(parent))
    if (root !== undefined) roots.add(root)
  }
  return Promise.all([...roots].sort().map((root) => load(bd, root)))
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
    const [rootIssue] = await bareIssues(bd, [root])
    return bd.print.value({ root: rootIssue, issues: await bareIssues(bd, members), dependencies, is_compound: false })
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
