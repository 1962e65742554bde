import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { notFound } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import type { SlingOptions } from './sling-options.ts'

interface DryRun {
  target: string
  /** The bead that was named. */
  bead: string | undefined
  /** The work as it was given: a bead, the name of a formula, or a text. */
  text: string
  options: SlingOptions
}

/** Checks that the agent and the bead exist, and that the formula compiles with its variables; nothing is made. */
export async function dryRun(context: CommandContext, city: CityClient, run: DryRun): Promise<void> {
  const { target, bead, text, options } = run
  const name = await agentOf(city, target.replace(/[/]$/, ''), options.rig)
  if (bead) await city.call('GET ~/bead/{id}', { params: { id: bead } })
  const formula = options.on ?? (options.formula === true ? text.trim() : undefined)
  const steps = formula === undefined ? 0 : await countSteps(city, formula, name, run)
  if (options.json) {
    const what = { target: name, ...(bead && { bead_id: bead }), ...(formula && { formula, steps }) }
    return printJson(context.io, envelope({ success: true, ...what, routed: false, queued: false, dry_run: true }))
  }
  const work = formula === undefined ? (bead ?? 'A new bead') : `Formula ${formula}, of ${steps} steps,`
  printLine(context.io, sanitizeLine(`${work} would go to ${name}${formula && bead ? ` for ${bead}` : ''}.`))
}

async function agentOf(city: CityClient, name: string, rig: string | undefined): Promise<string> {
  const { items } = await city.call('GET ~/agents')
  const names = rig && !name.includes('/') ? [`${rig}/${name}`, name] : [name]
  const found = names.find((each) => items.some((agent) => agent.name === each || agent.pool === each))
  if (found === undefined) throw notFound('agent-not-found', `there is no agent ${name}; \`gc agent list\` shows them`)
  return found
}

/** What the formula would come to for this agent, or this bead, with these variables. */
async function countSteps(
  city: CityClient,
  formula: string,
  agent: string,
  { bead, options }: DryRun,
): Promise<number> {
  const rig = agent.includes('/') ? agent.slice(0, agent.indexOf('/')) : options.rig
  const { name: cityName } = await city.call('GET ~')
  const scope = rig ? { scope_kind: 'rig', scope_ref: rig } : { scope_kind: 'city', scope_ref: cityName }
  const body = { target: bead ?? agent, vars: options.var ?? {}, ...scope }
  const { steps } = await city.call('POST ~/formulas/{name}/preview', { params: { name: formula }, body })
  return steps?.length ?? 0
}
