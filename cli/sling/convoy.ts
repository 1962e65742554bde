import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { Exit } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import type { SlingOptions } from './options.ts'

/** True if a bead is a convoy: then what it holds is slung. */
export async function isConvoy(city: CityClient, id: string): Promise<boolean> {
  try {
    return (await city.call('GET ~/bead/{id}', { params: { id } })).issue_type === 'convoy'
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false
    throw error
  }
}

/** Slings the open beads of a convoy; ends with status 1 when one could not be slung. */
export async function slingConvoy(
  context: CommandContext,
  city: CityClient,
  convoy: string,
  { target, options }: { target: string; options: SlingOptions },
): Promise<void> {
  const { force, reassign, merge, rig, title, on: formula, var: vars, formula: usesFormula } = options
  const body = {
    ...{ convoy, target },
    ...(formula && { formula }),
    ...(vars && { vars }),
    ...(title && { title }),
    ...(rig && { rig }),
    ...(merge && { merge }),
    ...(force && { force }),
    ...(reassign && { reassign }),
    ...(usesFormula === false && { no_formula: true }),
  }
  if (formula && vars) {
    const launch = { target, formula, attached_bead_id: convoy, vars, ...(rig && { rig }), ...(force && { force }) }
    await city.call('POST ~/sling/check', { body: launch })
  }
  const {
    children,
    run,
    target: agent,
    total,
    routed,
    failed,
    skipped,
    idempotent,
  } = await city.call('POST ~/sling/convoy', { body })
  if (options.json) {
    const batch = { container_type: 'convoy', total, routed, failed, skipped, idempotent }
    const what = { success: failed === 0, target: agent, convoy_id: convoy, ...(run && { workflow_id: run.run_id }) }
    printJson(context.io, {
      ...envelope({ ...what, routed: true, queued: false, dry_run: false, batch }),
      ok: failed === 0,
    })
  } else {
    for (const { bead, outcome, reason = '' } of children) {
      if (outcome === 'failed') context.io.err(sanitizeLine(`gc: ${bead}: ${reason}`).concat('\n'))
    }
    if (run)
      printLine(context.io, `Run ${run.run_id} goes to ${agent}; \`gc run show ${run.run_id} --watch\` follows it.`)
    else printLine(context.io, `${routed} of ${total} beads of ${convoy} go to ${agent}; ${skipped} were left alone.`)
  }
  if (failed > 0) throw new Exit(1)
}
