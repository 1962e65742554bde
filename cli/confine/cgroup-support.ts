import { ApiError, Unreachable } from '../../src/client/errors.ts'
import type { CommandContext } from '../context/context.ts'

/** Describes how cgroups hold sessions to their shares: in the running session host, or in one started here. */
export async function describeSessionCgroups({ client, io }: CommandContext): Promise<string> {
  const { describeCgroupSupport, localCgroupSupport } = await import('../../src/host/process/cgroup-support.ts')
  const { delegatedScope } = await import('../../src/host/client/launch.ts')
  const host = await firstHost(client)
  if (host) return describeCgroupSupport(host)
  if (delegatedScope(io.env)) return 'a scope of your systemd, which a session host asks for when it starts'
  return `${describeCgroupSupport(localCgroupSupport())} (for a session host started from here; none is running)`
}

/** The host that takes new sessions; undefined when none runs or the supervisor does not answer. */
async function firstHost(client: CommandContext['client']) {
  try {
    const { items } = await client.call('GET /v0/host')
    return items[0]
  } catch (error) {
    if (error instanceof Unreachable || error instanceof ApiError) return undefined
    throw error
  }
}
