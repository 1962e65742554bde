import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import type { NextWork } from '../../src/work/claims/index.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { Exit, failure, notFound } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { hookPermissionCommand, hookProtocolCommand, hookRunCommand } from './run.ts'

interface Hook extends JsonOption {
  claim?: true
  drainAck?: true
  inject?: true
}

/** The command with which an agent's program gets work; prompts rely on its output and its statuses. */
export function hookCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('hook')
    .description('show the work of an agent; status 1 if there is none')
    .argument('[agent]', 'agent; default in a session is its own')
    .option('--claim', 'claim the next piece of work')
    .option('--drain-ack', 'acknowledge the drain if there is no work')
    .option('--inject', 'do nothing and succeed')
    .option('--json', 'print one line of JSON')
    .action((agent: string | undefined, options: Hook) => hook(context, agent, options))
  hookRunCommand(command, context)
  hookPermissionCommand(command, context)
  hookProtocolCommand(command, context)
}

async function hook(context: CommandContext, agent: string | undefined, options: Hook): Promise<void> {
  if (options.inject) return
  if (options.claim) return claim(context, options)
  const { GC_TEMPLATE, GC_AGENT, GC_SESSION_ID } = context.io.env
  const routes = new Set([agent || GC_TEMPLATE || GC_AGENT].filter((name) => name !== undefined))
  if (routes.size === 0) throw failure('name the agent: `gc hook <rig>/<name>`')
  const city = await context.city()
  const beads = await listAgentWork(city, agent || GC_SESSION_ID || GC_AGENT || '', routes)
  if (options.json) printJson(context.io, beads)
  else for (const bead of beads) printLine(context.io, `${bead.id}  ${bead.status}  ${sanitizeLine(bead.title)}`)
  if (beads.length > 0) return
  if (agent) await requireNamed(city, agent)
  throw new Exit(1)
}

/** Throws for the name of no agent: having no work would hide that it is wrong. */
async function requireNamed(city: CityClient, name: string): Promise<void> {
  const { items } = await city.call('GET ~/agents')
  if (items.some((agent) => agent.name === name || agent.pool === name)) return
  await city.call('GET ~/session/{id}', { params: { id: name } }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    throw notFound('agent-not-found', `there is no agent ${name}`)
  })
}

/** The work in progress of an assignee, else its assigned ready work, else the ready work of its agent. */
async function listAgentWork(city: CityClient, who: string, routes: ReadonlySet<string>): Promise<Bead[]> {
  const started = await city.call('GET ~/beads', { query: { assignee: who, status: 'in_progress' } })
  const inProgress = started.items.filter(({ issue_type }) => issue_type !== 'session')
  if (inProgress.length > 0) return inProgress
  const [own, ready] = await Promise.all([
    city.call('GET ~/beads', { query: { assignee: who, status: 'open' } }),
    city.call('GET ~/beads/ready'),
  ])
  const named = new Set(own.items.map(({ id }) => id))
  const assigned = ready.items.filter(({ id }) => named.has(id))
  if (assigned.length > 0) return assigned
  return ready.items.filter(
    ({ assignee, metadata, issue_type }) =>
      !assignee && issue_type !== 'epic' && routes.has(metadata?.['gc.routed_to'] ?? ''),
  )
}

async function claim(context: CommandContext, options: Hook): Promise<void> {
  const city = await context.city()
  const next = await nextWork(city)
  const work = next.action === 'work'
  const acknowledged = !work && next.reason === 'no_work' && options.drainAck === true
  if (acknowledged) {
    await city.call('POST ~/session/{id}/drain-ack', { params: { id: context.io.env.GC_SESSION_ID ?? '' } })
  }
  if (options.json) printJson(context.io, hookEnvelope(next, acknowledged))
  else if (next.bead)
    printLine(
      context.io,
      `${next.bead.id}: ${sanitizeLine(next.bead.title)}\n\n${sanitizeLines(next.bead.description ?? '')}`.trimEnd(),
    )
  if (!work && !acknowledged) throw new Exit(1)
}

/** Claims the next work; for the revoked token of a replaced session the result is a drain. */
async function nextWork(city: CityClient): Promise<NextWork> {
  try {
    return await city.call('POST ~/claims/next')
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return { action: 'drain', reason: 'stale_session' }
    throw error
  }
}

function hookEnvelope({ bead: _, epoch: __, ...next }: NextWork, acknowledged: boolean) {
  return {
    schema_version: '1',
    ok: true,
    command: 'hook',
    ...next,
    ...(next.action === 'drain' && { drain_acknowledged: acknowledged }),
  }
}
