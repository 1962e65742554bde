import { release } from 'node:os'
import type { CommandContext } from '../context/context.ts'
import { findKeptUnconfined } from '../context/kept-unconfined.ts'
import { describeSessionHolding } from '../context/session-holding.ts'
import { bad, type CheckResult, ok } from './result.ts'

const NAME = 'confinement'
const ON_PURPOSE = 'until then only agents with confine = "off" are started, unconfined'

/** What this machine has of what confined sessions need, and what holds them to their shares. */
export async function checkConfinement(context: CommandContext): Promise<CheckResult> {
  const kept = await findKeptUnconfined(context.io.env)
  if (kept) return bad('warning', NAME, kept.what, kept.remedy)
  if (process.platform === 'darwin') return ok(NAME, 'sandbox-exec; shares of cpu and memory are not held on macOS')
  if (process.platform !== 'linux')
    return bad('warning', NAME, `gc does not confine on ${process.platform}`, ON_PURPOSE)
  const { landlockVersion } = await import('../../src/host/confine/landlock.ts')
  const { hasListener } = await import('../../src/host/confine/enter.ts')
  const landlock = landlockVersion()
  if (landlock === 0) {
    const remedy = `run Linux 5.19 or later with landlock in its \`lsm=\` list; ${ON_PURPOSE}`
    return bad('warning', NAME, `Landlock is missing in this kernel (${release()}), or switched off`, remedy)
  }
  const { INHERITED, outerSession } = await import('../../src/host/confine/outer.ts')
  const listener = outerSession() ? INHERITED : 'seccomp with a listener'
  if (!hasListener()) {
    const remedy = `run Linux 5.19 or later, and let gc use seccomp where a container forbids it; ${ON_PURPOSE}`
    return bad('warning', NAME, `seccomp hands no calls to gc on this kernel (${release()})`, remedy)
  }
  const { yamaObstacle } = await import('../../src/host/confine/yama.ts')
  const yama = yamaObstacle()
  if (yama !== undefined) return bad('warning', NAME, yama, `set it with sysctl; ${ON_PURPOSE}`)
  return ok(NAME, `Landlock ABI ${landlock}, ${listener}; ${await describeSessionHolding(context)}`)
}
