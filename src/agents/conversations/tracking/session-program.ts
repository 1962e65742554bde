import type { AgentConfig } from '../../../config/agents/index.ts'
import { stateVariables } from '../../../host/confine/index.ts'
import { identityOf, type SessionRow } from '../../../work/sessions/index.ts'
import { privateFolder } from '../../confinement/index.ts'
import type { LaunchPlanner } from '../../launch/index.ts'
import type { SessionProgram } from './locator.ts'

/** Declarations of agents and providers. */
type Declarations = Pick<LaunchPlanner, 'agent' | 'provider' | 'homeVariables'>

/** Looks up the program of a session, its environment, and the beginning of its first prompt. */
export const sessionProgramLookup =
  (
    launchPlanner: Declarations,
    { city, path, env }: { city: string; path: string; env: Readonly<Record<string, string | undefined>> },
  ) =>
  (row: SessionRow): SessionProgram => {
    const agent = row.kind === 'agent' ? launchPlanner.agent(row.template) : undefined
    const provider = agent?.startCommand === undefined ? findProvider(launchPlanner, row.provider) : undefined
    return {
      builtinProvider: provider?.ancestor,
      env: { ...env, ...provider?.env, ...agent?.env, ...launchPlanner.homeVariables(row), ...privateState(path, row) },
      greeting: `[${city}] ${identityOf(row)} • `,
    }
  }

/** Private folder of a sandboxed program's state, which is otherwise in its home. */
const privateState = (city: string, { id, confined }: SessionRow): Record<string, string> =>
  confined === null || confined === 'off' ? {} : stateVariables(privateFolder(city, id))

/** Looks up the built-in provider of a session's program. */
export const builtinProviderLookup =
  (launchPlanner: Declarations) =>
  (row: SessionRow): string | undefined =>
    sessionProgramLookup(launchPlanner, { city: '', path: '', env: {} })(row).builtinProvider

/** The built-in provider of an agent's program; undefined for a command of its own. */
export const builtinProviderOf = (
  launchPlanner: Pick<LaunchPlanner, 'provider'>,
  { startCommand, provider }: Pick<AgentConfig, 'startCommand' | 'provider'>,
): string | undefined =>
  startCommand || provider === undefined ? undefined : findProvider(launchPlanner, provider)?.ancestor

/** A provider; undefined when it is no longer declared. */
export function findProvider(launchPlanner: Pick<LaunchPlanner, 'provider'>, name: string) {
  try {
    return launchPlanner.provider(name)
  } catch {
    return undefined
  }
}
