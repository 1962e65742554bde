import { PROGRAM, type World } from '../support/world.ts'
import type { LentSession } from './lent-session.ts'

/** Outcome of a command. */
export interface Ended {
  status: number
  out: string
  err: string
}

/** Runs a command as a program of the session would. */
export async function run(
  world: World,
  { city, session, token }: LentSession,
  args: string[],
  more = {},
): Promise<Ended> {
  const child = Bun.spawn([...PROGRAM, ...args], {
    env: {
      ...{ PATH: process.env.PATH, HOME: world.folder.path, GC_HOME: world.home },
      ...{ GC_CITY_NAME: city.name, GC_SESSION_ID: session, GC_TOKEN: token, GC_AGENT: 'mayor' },
      ...more,
    },
    cwd: world.folder.path,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, out, err }
}
