import type { Launcher } from '../../lifecycle/launcher.ts'
import { identityOf } from '../../sessions/metadata.ts'
import type { SessionRow } from '../../sessions/table.ts'
import type { SessionProgram } from './locator.ts'

/** What is declared of agents and providers. */
type Declarations = Pick<Launcher, 'agent' | 'provider'>

/** Tells of a session what its program is, in what environment it runs, and how it was greeted. */
export const sessionProgramLookup =
  (launcher: Declarations, { city, env }: { city: string; env: Readonly<Record<string, string | undefined>> }) =>
  (row: SessionRow): SessionProgram => {
    const agent = row.kind === 'agent' ? launcher.agent(row.template) : undefined
    const provider = agent?.startCommand === undefined ? findProvider(launcher, row.provider) : undefined
    return {
      builtinProvider: provider?.ancestor,
      env: { ...env, ...provider?.env, ...agent?.env },
      greeting: `[${city}] ${identityOf(row)} • `,
    }
  }

/** The builtin provider that a session's program is of. */
export const builtinProviderLookup =
  (launcher: Declarations) =>
  (row: SessionRow): string | undefined =>
    sessionProgramLookup(launcher, { city: '', env: {} })(row).builtinProvider

/** A provider may not be declared any more. */
function findProvider(launcher: Declarations, name: string) {
  try {
    return launcher.provider(name)
  } catch {
    return undefined
  }
}
