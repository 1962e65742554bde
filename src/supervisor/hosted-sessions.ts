import type { SessionHost } from '../host/client/session-host.ts'

/** Ends the sessions that still run for a city that could not be opened. */
export async function endSessionsOf(host: SessionHost, city: string): Promise<void> {
  const hosted = await host.list()
  await Promise.all(hosted.filter(({ key }) => key.startsWith(`${city}/`)).map(({ key }) => host.end(key)))
}
