import { render } from 'ink'
import type { Client } from '../src/client/client.ts'
import type { Timers } from '../src/client/follow.ts'
import { Dashboard } from './app.tsx'
import { createTheme } from './parts/theme.ts'

export interface DashboardOptions {
  client: Client
  timers: Timers
  now(): number
  colour: boolean
  /** The city to open with; without one, the list of cities. */
  city?: string
}

/** Shows the dashboard until the user quits it, and restores the screen. */
export async function openDashboard({ client, timers, now, colour, city }: DashboardOptions): Promise<void> {
  const app = render(<Dashboard client={client} timers={timers} now={now} theme={createTheme(colour)} city={city} />, {
    alternateScreen: true,
    incrementalRendering: true,
    exitOnCtrlC: false,
  })
  await app.waitUntilExit()
}
