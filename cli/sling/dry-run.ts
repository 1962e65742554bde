import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { SlingCheck } from '../../src/orchestration/runs/index.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { notFound } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { type SlingOptions, slingBody } from './options.ts'

interface DryRun {
  target: string
  /** The bead that was named. */
  bead: string | undefined
  /** The work as it was given: a bead, the name of a formula, or a text. */
  text: string
  options: SlingOptions
}

/** Checks all that a sling checks, and makes nothing. */
export async function dryRun(context: CommandContext, city: CityClient, run: DryRun): Promise<void> {
  const { target, bead, text, options } = run
  const body = slingBody(target.replace(/[/]$/, ''), text, bead, options)
  const checked = body ? await city.call('POST ~/sling/check', { body }) : { target: await agentOf(city, run) }
  const { target: name, formula, steps = 0 }: SlingCheck = checked
  if (options.json) {
    const what = { target: name, ...(bead && { bead_id: bead }), ...(formula && { formula, steps }) }
    return printJson(context.io, envelope({ success: true, ...what, routed: false, queued: false, dry_run: true }))
  }
  const work = formula === undefined ? (bead ?? 'A new bead') : `Formula ${formula}, of ${steps} steps,`
  printLine(context.io, sanitizeLine(`${work} would go to ${name}${formula && bead ? ` for ${bead}` : ''}.`))
}

/** Agent that a new bead would go to. */
async function agentOf(city: CityClient, { target, options: { rig } }: DryRun): Promise<string> {
  const name = target.replace(/[/]$/, '')
  const { items } = await city.call('GET ~/agents')
  const names = rig && !name.includes('/') ? [`${rig}/${name}`, name] : [name]
  const found = names.find((each) => items.some((agent) => agent.name === each || agent.pool === each))
  if (found === undefined) throw notFound('agent-not-found', `there is no agent ${name}; \`gc agent list\` shows them`)
  return found
}
