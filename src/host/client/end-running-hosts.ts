import { systemClock } from '../../core/clock.ts'
import { Deadlines } from '../../core/deadlines.ts'
import { HostClient } from './host-client.ts'

/** Ends the hosts of a home that no supervisor is there to end, with all they run; false when there were none. */
export async function endRunningHosts(home: string): Promise<boolean> {
  const deadlines = new Deadlines()
  try {
    const host = await HostClient.find({ home, launch: [], clock: systemClock, deadlines })
    await host?.shutdown()
    return host !== undefined
  } finally {
    deadlines.close()
  }
}
