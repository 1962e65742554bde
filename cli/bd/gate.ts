import { type Command, Option } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import { parseCount, parseDurationOption } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { toBare } from './issue.ts'

/** Conditions of a gate. */
const KINDS = ['human', 'timer', 'gh:run', 'gh:pr'] as const
type Kind = (typeof KINDS)[number]

interface Create {
  blocks: string
  type: Kind
  awaitId?: string
  timeout?: number
  reason?: string
}

interface Check {
  type?: string
  dryRun?: boolean
  escalate?: true
}

/** Commands on gates: beads that block others until somebody, or the time, resolves them. */
export function gateCommands(program: Command, bd: BdContext): void {
  const gate = program.command('gate').description('manage gates: beads that block others until resolved')
  gate
    .command('create')
    .description('block a bead until a person, a timer or GitHub resolves it')
    .requiredOption('--blocks <bead>', 'bead to block')
    .addOption(new Option('-t, --type <kind>', 'kind of gate').choices(KINDS).default('human'))
    .option('--await-id <id>', 'run or pull request')
    .option('--timeout <duration>', 'timeout, such as 30m or 2h', parseDurationOption)
    .option('-r, --reason <text>', 'reason')
    .action(bd.run((options: Create) => create(bd, options)))
  gate
    .command('list')
    .description('list open gates')
    .option('-a, --all', 'include resolved gates')
    .option('--status <status>', 'open or closed')
    .option('-t, --type <kind>', 'only this kind, such as human or timer')
    .option('-n, --limit <n>', 'maximum rows; 0 for all', parseCount, 0)
    .action(bd.run((options: List) => list(bd, options)))
  gate
    .command('show')
    .description('show a gate')
    .argument('[gate]', 'gate; default is all open ones')
    .action(
      bd.run(async (id: string | undefined) =>
        id === undefined ? list(bd, { limit: 0 }) : printGate(bd, await getGate(bd, id)),
      ),
    )
  gate
    .command('resolve')
    .alias('close')
    .description('resolve a gate')
    .argument('<gate>')
    .option('-r, --reason <text>', 'reason')
    .action(
      bd.run(async (id: string, { reason = 'resolved' }: { reason?: string }) => {
        await getGate(bd, id)
        await close(bd, id, reason)
        await printGate(bd, await bd.get(id))
      }),
    )
  gate
    .command('check')
    .description('resolve gates that are due, and list the others')
    .addOption(new Option('-t, --type <kind>', 'only this kind').choices([...KINDS, 'gh', 'bead', 'all']))
    .option('--dry-run', 'show the results and resolve nothing')
    .option('-e, --escalate', 'accepted: gates for people are in `gc attention`')
    .option('-l, --limit <n>', 'accepted')
    .action(bd.run((options: Check) => check(bd, options)))
}

async function create(bd: BdContext, options: Create): Promise<void> {
  const { blocks, type, awaitId, timeout, reason } = options
  if (type.startsWith('gh:') && !awaitId) throw usageError(`--type ${type} needs --await-id: the number at GitHub`)
  if (type === 'timer' && timeout === undefined) throw usageError('--type timer needs --timeout, such as 30m')
  const city = await bd.city()
  const body = {
    ...{ blocks, type },
    ...(awaitId && { await_id: awaitId }),
    ...(timeout !== undefined && { timeout_ms: timeout }),
    ...(reason && { reason }),
  }
  await printGate(bd, await city.call('POST ~/gates', { body }))
}

async function getGate(bd: BdContext, id: string): Promise<Bead> {
  const bead = await bd.get(id)
  if (bead.issue_type !== 'gate') throw failure(`${id} is not a gate (type: ${bead.issue_type})`)
  return bead
}

/** Gates as `bd` prints them. */
const toGates = async (bd: BdContext, gates: readonly Bead[]) =>
  (await bd.issues(gates.map(({ id }) => id))).map((issue) => ({ await_type: 'human', ...toBare(issue) }))

async function printGate(bd: BdContext, gate: Bead): Promise<void> {
  if (bd.print.json) {
    for (const each of await toGates(bd, [gate])) bd.print.value(each)
    return
  }
  bd.print.line(formatGate(gate))
}

function formatGate(gate: Bead): string {
  const { await_type = 'human', await_id } = gate.metadata ?? {}
  const state =
    gate.status === 'closed'
      ? `resolved${gate.metadata?.close_reason ? `: ${gate.metadata.close_reason}` : ''}`
      : 'waits'
  return sanitizeLine(`${gate.id}  ${await_type}${await_id ? ` ${await_id}` : ''}  ${state}  ${gate.title}`)
}

interface List {
  all?: true
  status?: string
  type?: string
  limit: number
}

async function list(bd: BdContext, { all, status, type, limit }: List): Promise<void> {
  const found = await bd.list({ type: 'gate', all: all || status === 'closed', ...(status && { status }) })
  const wanted = found.filter(({ metadata }) => type === undefined || (metadata?.await_type ?? 'human') === type)
  const gates = limit === 0 ? wanted : wanted.slice(0, limit)
  if (bd.print.json) return bd.print.value(await toGates(bd, gates))
  if (gates.length === 0) return bd.print.line('No gates found')
  for (const gate of gates) bd.print.line(formatGate(gate))
}

const close = async (bd: BdContext, id: string, reason: string): Promise<void> => {
  const body = { status: 'closed', metadata: { close_reason: reason } }
  await (await bd.city()).call('PATCH ~/bead/{id}', { params: { id }, body })
}

/** Resolves the gates whose time has come. */
async function check(bd: BdContext, { type, dryRun = false }: Check): Promise<void> {
  const city = await bd.city()
  const body = { ...(type && { type }), dry_run: dryRun }
  const { checked, resolved, failed, waiting } = await city.call('POST ~/gates/check', { body })
  if (bd.print.json) {
    return bd.print.value({
      checked,
      resolved: resolved.length,
      escalated: failed.length,
      errors: 0,
      dry_run: dryRun,
      resolved_ids: resolved.map(({ id }) => id),
      escalated_ids: failed.map(({ id }) => id),
      waiting_ids: waiting,
    })
  }
  for (const { id, reason } of resolved)
    bd.print.line(sanitizeLine(`✓ ${id} ${dryRun ? 'would be resolved' : 'is resolved'}: ${reason}`))
  for (const { id, reason } of failed) bd.print.line(sanitizeLine(`${id} needs a person: ${reason}`))
  const counts = [`${resolved.length} resolved`, `${failed.length} need a person`, `${waiting.length} wait`]
  bd.print.line(`Checked ${checked} gates: ${counts.join(', ')}`)
}
