import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { packsAt } from './open.ts'
import { printPrograms } from './print.ts'

/** Fetches what the lock of a city asks for and is not on this machine, before the city starts. */
export async function fetchMissingPacks(context: CommandContext, path: string): Promise<void> {
  if (context.io.env.GC_TOKEN || !existsSync(join(path, 'city.toml'))) return
  try {
    const packs = await packsAt(context, path)
    const isMissing = packs.issues().some(({ code }) => code !== 'missing-pack')
    if (isMissing) await packs.manager.install()
  } catch (error) {
    if (context.io.signal.aborted) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const remedy = '`gc import check` lists what is missing, `gc import install` fetches it'
    context.io.err(`gc: ${reason}\ngc: a city that ran before keeps its last good configuration; ${remedy}\n`)
  }
}

/** Lists the programs that a city and its packs run automatically. */
export async function listAutomaticPrograms(
  context: CommandContext,
  path: string,
  title = 'Programs that this city runs automatically:',
): Promise<void> {
  if (context.io.env.GC_TOKEN || !existsSync(join(path, 'city.toml'))) return
  const packs = await packsAt(context, path)
  printPrograms(context.io, packs.programs(), title)
}

const WARMUP_TIMEOUT = 60_000

/** Runs the checks that packs want before a city starts, and says what is wrong; the city starts in any case. */
export async function runWarmups({ io }: CommandContext, path: string): Promise<void> {
  if (io.env.GC_TOKEN || !existsSync(join(path, 'city.toml'))) return
  const { runPackChecks } = await import('../doctor/pack-checks.ts')
  const results = await runPackChecks(io, path, { fix: false, timeoutMs: WARMUP_TIMEOUT, warmupOnly: true })
  for (const { name, status, message, fix_hint } of results) {
    if (status === 'ok') continue
    io.err(`gc: ${sanitizeLine(`${name}: ${message}${fix_hint ? `; ${fix_hint}` : ''}`)}\n`)
  }
}
