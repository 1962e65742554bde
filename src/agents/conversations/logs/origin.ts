import type { Launcher } from '../../lifecycle/launcher.ts'
import { identityOf } from '../../sessions/metadata.ts'
import type { SessionRow } from '../../sessions/table.ts'
import type { Origin } from './locate.ts'

/** Tells of a session what its program is, in what environment it runs, and how it was greeted. */
export const originsOf =
  (launcher: Launcher, { city, env }: { city: string; env: Readonly<Record<string, string | undefined>> }) =>
  (row: SessionRow): Origin => {
    const agent = row.kind === 'agent' ? launcher.agent(row.template) : undefined
    const provider = agent?.startCommand === undefined ? known(launcher, row.provider) : undefined
    return {
      ancestor: provider?.ancestor,
      env: { ...env, ...provider?.env, ...agent?.env },
      greeting: `[${city}] ${identityOf(row)} • `,
    }
  }

/** The builtin provider that a session's program is of. */
export const ancestorOf =
  (launcher: Launcher) =>
  (row: SessionRow): string | undefined =>
    originsOf(launcher, { city: '', env: {} })(row).ancestor

/** A provider may not be declared any more. */
function known(launcher: Launcher, name: string) {
  try {
    return launcher.provider(name)
  } catch {
    return undefined
  }
}
