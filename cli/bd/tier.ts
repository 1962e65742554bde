import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import { changeBead } from '../bead/create.ts'
import { exportBeads, type ImportOptions, importBeads } from '../bead/transfer.ts'
import { usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'

/** Commands about what of the beads is kept. */
export function tierCommands(program: Command, bd: BdContext): void {
  program
    .command('promote')
    .description('keep a bead of bookkeeping as work')
    .argument('<bead>')
    .option('-r, --reason <text>', 'reason, added as a comment')
    .action(bd.run((id: string, options: { reason?: string }) => promote(bd, id, options)))
  program
    .command('delete')
    .description('close beads; they stay as history')
    .argument('[beads...]')
    .option('--from-file <file>', 'file of further ids, one a line')
    .option('-f, --force', 'apply the plan; default is only to print it')
    .option('--cascade', 'include their children and dependents')
    .option('--dry-run', 'show matches and close nothing')
    .action(bd.run((ids: string[], options: Delete) => remove(bd, ids, options)))
  program
    .command('export')
    .description('write all beads as JSON Lines')
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .option('--all', 'accepted: all beads are always written')
    .option('--include-infra', 'accepted: all beads are always written')
    .option('--include-memories', 'accepted: gc has no separate memories')
    .option('--no-memories', 'accepted: gc has no separate memories')
    .action(bd.run((options: { output?: string }) => exportBeads(bd.context, options.output, { overwrite: true })))
  program
    .command('import')
    .description('import beads from JSON Lines')
    .argument('[file]', 'file, or - for standard input; default is .beads/issues.jsonl')
    .option('-i, --input <file>', 'same as the argument')
    .option('--from-file <file>', 'same as the argument')
    .option('--dedup', 'accepted: existing beads are not imported again')
    .option('-f, --force', 'replace newer beads and beads that sessions hold')
    .action(bd.run((file: string | undefined, options: Import) => importFile(bd, file, options)))
}

interface Import extends ImportOptions {
  input?: string
  fromFile?: string
}

async function importFile(bd: BdContext, file: string | undefined, given: Import): Promise<void> {
  const { fromFile, input = fromFile, ...options } = given
  if (file !== undefined && input !== undefined) throw usageError('name the file once: as the argument or with --input')
  const json = bd.print.json ? { json: true as const } : {}
  await importBeads(bd.context, file ?? input ?? '.beads/issues.jsonl', { ...options, ...json })
}

async function promote(bd: BdContext, id: string, { reason }: { reason?: string }): Promise<void> {
  const city = await bd.city()
  await changeBead(city, { id, ephemeral: false })
  if (reason) await city.call('POST ~/bead/{id}/comments', { params: { id }, body: { text: `Promoted: ${reason}` } })
  const bead = await bd.get(id)
  if (bd.print.json) return bd.printIssue(bead)
  bd.print.line(`✓ Promoted ${id} — ${sanitizeLine(bead.title)}`)
}

interface Delete {
  fromFile?: string
  force?: true
  cascade?: true
  dryRun?: true
}

async function remove(bd: BdContext, given: readonly string[], options: Delete): Promise<void> {
  const { force, cascade, dryRun, fromFile } = options
  const text = fromFile === undefined ? '' : await bd.context.readFile(fromFile)
  const ids = [...given, ...text.split(/\s+/).filter((id) => id !== '')]
  if (ids.length === 0) throw usageError('name the beads: `bd delete <bead> --force`')
  if (cascade) throw usageError('gc closes only named beads; name the children and dependents as well')
  const city = await bd.city()
  const beads = await bd.forEach(ids, (id) => bd.get(id))
  if (!force || dryRun) {
    if (bd.print.json) return bd.print.value({ would_delete: beads.map(({ id }) => id) })
    for (const bead of beads) bd.print.bead(bead)
    return bd.print.line(`\nNothing has changed; with --force, ${beads.length === 1 ? 'it is' : 'they are'} closed.`)
  }
  for (const { id } of beads) await city.call('DELETE ~/bead/{id}', { params: { id } })
  const deleted = beads.map(({ id }) => id)
  if (bd.print.json) bd.print.value({ deleted, deleted_count: deleted.length })
  else for (const id of deleted) bd.print.line(`✓ Deleted ${id}: it is closed and stays as history`)
  if (beads.length < ids.length) throw bd.partialFailure()
}
