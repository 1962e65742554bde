import { ApiError, Unreachable } from '../../src/client/errors.ts'
import type { CommandContext } from '../context/context.ts'

/** What holds sessions together and to their shares: as the session host says that runs, or as one that is started here would. */
export async function describeSessionHolding({ client, io }: CommandContext): Promise<string> {
  const { describeHolding, holdingHere } = await import('../../src/host/process/cgroup-support.ts')
  const { delegatedScope } = await import('../../src/host/client/launch.ts')
  const host = await firstHost(client)
  if (host) return describeHolding(host)
  if (delegatedScope(io.env)) return 'a scope of your systemd, which a session host asks for when it starts'
  return `${describeHolding(holdingHere())} (of a session host that is started here; none runs)`
}

/** The host that takes new sessions; undefined when none runs, or nobody tells. */
async function firstHost(client: CommandContext['client']) {
  try {
    const { items } = await client.call('GET /v0/host')
    return items[0]
  } catch (error) {
    if (error instanceof Unreachable || error instanceof ApiError) return undefined
    throw error
  }
}
