import { timers } from '../../cli/io/timers.ts'
import type { Reach } from '../../client/views/page.ts'
import { Client } from '../../src/client/client.ts'

/** Address of a city's page. */
export function reachTo(url: string, subject = ''): Reach {
  const client = new Client({ url, token: undefined })
  return { client, city: client.city('town'), machine: { diagnose: async () => [], followLog }, timers, subject }
}

async function* followLog() {}
