import { homedir } from 'node:os'
import { type agentProfile, builtinOf, readDefaultMode, shareLogin } from '../../config/confinement/index.ts'
import { suggestion } from '../../config/files/index.ts'
import { composeFolder, editCity } from '../../config/offline/index.ts'
import { AppError } from '../../core/errors.ts'
import { PROGRAMS } from '../../programs/list.ts'
import { BUILTINS } from '../../programs/presets.ts'
import { loginPlace } from './private-home.ts'
import { type UnsharedLogin, unsharedLogin } from './unshared-login.ts'

interface Place {
  /** The city's folder. */
  readonly path: string
  /** `$GC_HOME`. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The login that confined sessions of an agent do not see because no one said whether they may. */
export function unsharedLoginOf({ path, home, env }: Place, qualified: string): UnsharedLogin | undefined {
  const { config } = composeFolder(path, home, { defaultConfine: readDefaultMode(home) })
  const agent = config.agents.find((each) => each.qualified === qualified)
  return unsharedLogin(agent, config, env)
}

/**
 * Says in city.toml whether confined sessions of a provider may read the login of its program; answers which file that
 * is.
 */
export async function shareLoginOf(place: Place, provider: string, isShared: boolean): Promise<string> {
  let file = ''
  await editCity(place, (base) => {
    file = loginFileOf(place, provider, base.config)
    return shareLogin(base, provider, isShared)
  })
  return file
}

function loginFileOf({ env }: Place, provider: string, config: Parameters<typeof agentProfile>[1]): string {
  const names = [...config.providers.keys(), ...BUILTINS.keys()]
  if (!names.includes(provider)) {
    const means = suggestion(provider, names) || '`gc agent list` names those of agents'
    throw new AppError('provider-not-found', `there is no provider "${provider}"; ${means}`)
  }
  const variables = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const place = { env: variables, home: env.HOME ?? homedir() }
  const login = loginPlace(builtinOf({ provider }, config.providers), place)
  if (login) return login.to
  const known = PROGRAMS.flatMap(({ name, home }) => (home?.login ? name : [])).join(', ')
  const message = `gc does not know the login file of ${provider}, only those of ${known}; list it under read in its confine table`
  throw new AppError('invalid-request', message)
}
