import type { SessionHost } from '../host/client/session-host.ts'
import { isKeyOf } from '../host/protocol/keys.ts'

/** Ends the sessions that still run for a city that could not be opened. */
export async function endSessionsOf(host: SessionHost, city: string): Promise<void> {
  const hosted = await host.list()
  await Promise.all(hosted.filter(({ key }) => isKeyOf(key, city)).map(({ key }) => host.end(key)))
}
