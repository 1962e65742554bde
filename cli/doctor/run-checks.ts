import { cityFolder } from '../context/city-folder.ts'
import type { CommandContext } from '../context/context.ts'
import { errorSentence } from '../io/describe-error.ts'
import { cityChecks } from './city-checks.ts'
import { machineChecks } from './machine-checks.ts'
import { runPackChecks } from './pack-checks.ts'
import { bad, type Check, type CheckResult, usualFix } from './result.ts'

export interface DoctorOptions {
  readonly city: string | undefined
  readonly fix: boolean
  readonly timeoutMs: number
}

/** Runs every check: of this machine, and of the city if there is one. */
export async function runDoctor(context: CommandContext, options: DoctorOptions): Promise<CheckResult[]> {
  const folder = await cityFolder(context, options.city).catch((error: unknown) => {
    if (options.city !== undefined) throw error
    return undefined
  })
  const results: CheckResult[] = []
  const runAll = async (checks: readonly Check[]) => {
    for (const check of checks) results.push(...(await runCheck(context, check, options.fix)))
  }
  await runAll(machineChecks(context))
  if (folder === undefined) return results
  try {
    await runAll(await cityChecks(context, folder))
    results.push(...(await runPackChecks(context.io, folder, options)))
  } catch (error) {
    results.push(unreadable(context, 'city', error))
  }
  return results
}

/** The result of a check that could not run, so that the other checks are still reported. */
const unreadable = ({ io }: CommandContext, name: string, error: unknown): CheckResult =>
  bad('error', name, `it cannot be checked: ${errorSentence(error, io.env)}`, 'fix that and check again')

async function runCheck(context: CommandContext, check: Check, fix: boolean): Promise<readonly CheckResult[]> {
  const before = await judge(context, check)
  if (!fix || !check.fix || before.every(({ status }) => status === 'ok')) return before
  try {
    await check.fix()
  } catch (error) {
    return before.map((result) => ({ ...result, fix_attempted: true, fix_error: errorSentence(error, context.io.env) }))
  }
  const after = await judge(context, check)
  return after.map((result) => ({ ...result, fix_attempted: true, fixed: result.status === 'ok' }))
}

async function judge({ io }: CommandContext, check: Check): Promise<readonly CheckResult[]> {
  try {
    return [await check.run()].flat()
  } catch (error) {
    return [bad('unknown', check.name, errorSentence(error, io.env), usualFix(check.name))]
  }
}
