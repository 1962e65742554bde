import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import { readProcess } from '../process/index.ts'
import type { HostLink } from './host-link.ts'

/** Extra time for KILL and the checks after it, beyond the grace period. */
const ENDING_MS = 15_000
/** Maximum time a host may take to end itself after its sessions. */
const GONE_MS = 10_000
const LOOK_MS = 20

/** Has a host end its sessions and itself; resolves when it is gone. */
export async function shutdownHost(link: HostLink, grace: number, deadlines: Deadlines): Promise<void> {
  const { pid } = link.hello
  await link.request('shutdown', { grace }, { ms: grace + ENDING_MS })
  const started = readProcess(pid)?.started
  for (let waited = 0; waited < GONE_MS; waited += LOOK_MS) {
    const now = readProcess(pid)
    if (!now || now.zombie || now.started !== started) return link.close()
    await deadlines.sleep(LOOK_MS)
  }
  throw new AppError('gateway-timeout', `the session host (pid ${pid}) has ended its sessions but does not end itself`)
}
