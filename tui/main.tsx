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
  /** Opens the terminal of a session; resolves when the person leaves it. */
  attach(city: string, session: string): Promise<void>
}

/** Shows the dashboard until the user quits it, and restores the screen. */
export async function openDashboard(options: DashboardOptions): Promise<void> {
  const { client, timers, now, colour, city, attach } = options
  const write = (text: string) => void process.stdout.write(text)
  const props = { client, timers, now, theme: createTheme(colour), city, attach, write }
  const app = render(<Dashboard {...props} />, {
    alternateScreen: true,
    incrementalRendering: true,
    exitOnCtrlC: false,
  })
  await app.waitUntilExit()
}
