import { homedir } from 'node:os'
import { join } from 'node:path'
import { isOtherLogin } from '../../config/accounts/account.ts'
import type { Accounts } from '../../config/accounts/accounts.ts'
import type { AgentConfig, CityConfig } from '../../config/city-config.ts'
import { agentProfile } from '../../config/confinement/agent-profile.ts'
import { findFixed, writtenByAgents } from '../../config/confinement/fixed-path.ts'
import { voids } from '../../config/confinement/obstacle.ts'
import { isOpenToAgents } from '../../config/confinement/open-rigs.ts'
import { splitCommand } from '../../config/providers/command-words.ts'
import type { Launch } from '../../config/providers/launch.ts'
import type { Provider } from '../../config/providers/provider.ts'
import { realPath } from '../../core/folders.ts'
import { looksSecret } from '../../core/secrets.ts'
import { certificatePlaces } from '../../host/confine/start/certificates.ts'
import type { Confinement } from '../../host/protocol/session.ts'
import { acceptedDialogs } from '../confinement/accepted-dialogs.ts'
import { type Confinable, confinementOf } from '../confinement/confinement.ts'
import { firstRunFiles } from '../confinement/first-run.ts'
import { packOf, requireOwnAddress } from '../confinement/foreign-address.ts'
import { loginFile } from '../confinement/login-file.ts'
import { keepKeys } from '../confinement/provider-keys.ts'
import { proxyRules } from '../confinement/proxy-rules.ts'
import { storedKeys } from '../confinement/stored-keys.ts'
import type { SessionRow } from '../sessions/table.ts'
import { type CityEnvironment, sessionEnvironment } from './environment.ts'

interface StartRequest {
  row: SessionRow
  agent: AgentConfig | undefined
  /** As whose session it is confined. */
  confinable: Confinable | undefined
  provider: Provider | undefined
  launch: Pick<Launch, 'argv' | 'env'>
  token: string
  config: Pick<CityConfig, 'path' | 'rigs' | 'agents' | 'providers' | 'packs'>
}

/** How a program is started: confined or not, with the variables that it may have. */
export interface SessionStart {
  argv: string[]
  env: Record<string, string>
  confine: Confinement | undefined
}

/** Puts together how a session's program is started. One that is confined is given no keys that gc can keep for it. */
export function sessionStart(
  { row, agent, confinable, provider, launch, token, config }: StartRequest,
  environment: CityEnvironment,
  accounts: Pick<Accounts, 'named' | 'environment'>,
): SessionStart {
  const rig = config.rigs.find(({ name: each }) => each === row.rig)
  const rigPath = rig?.path
  const account = accounts.named(row.login)
  const declared = { ...launch.env, ...(account && accounts.environment(account)) }
  const isForeign = (name: string) => account !== undefined && isOtherLogin(account, name)
  const confine = confinable && confinementOf(row, confinable, config, environment)
  if (confine) environment.tokenRequirement.demand(`session ${row.id} of ${row.template} is confined`)
  const env = sessionEnvironment(row, environment, declared, {
    token,
    rigPath,
    pack: {
      name: agent?.block.pack?.name ?? environment.city,
      folder: agent?.configDir ?? environment.path,
    },
    isForeign: (name) => isForeign(name) || (confine !== undefined && looksSecret(name, environment.env[name])),
  })
  if (!confinable || !confine) return { argv: launch.argv, env, confine }
  const name = provider?.ancestor ?? provider?.name
  const own = Object.entries(environment.env).filter(([variable]) => !isForeign(variable))
  const { allowHosts: hosts, ports: declaredPorts, unknownHosts, shareLogin } = agentProfile(confinable, config)
  const allowHosts = hosts.map(({ value }) => value)
  const ports = declaredPorts.map(({ value }) => value)
  const isOpen = rig !== undefined && isOpenToAgents(rig, config)
  const reach = {
    agent: confinable,
    provider: name,
    allowHosts,
    unknownHosts: unknownHosts?.value,
    rig: rigPath,
    isOpen,
    env: environment.env,
  }
  const place = { env, home: env.HOME ?? homedir(), workDir: row.workDir }
  const stored = shareLogin?.value || account ? {} : storedKeys(name, place)
  const inherited = { ...stored, ...Object.fromEntries(own) }
  const kept = keepKeys(name, { ...inherited, ...declared })
  const pack = packOf(agent) ?? provider?.packs?.[0]
  if (pack !== undefined) {
    const mine = { ...inherited, ...(!provider?.packs && provider?.env), ...(!packOf(agent) && agent?.env) }
    requireOwnAddress(kept, pack, { name, mine, allowed: { hosts: allowHosts, ports } })
  }
  const files = firstRunFiles(name, { ...place, accepted: acceptedDialogs(environment.path, row) })
  const login = shareLogin?.value ? loginFile(name, place) : undefined
  // What all sessions of a pack write would have one of them decide what the others, and its orders, find there.
  const state = { GC_PACK_STATE_DIR: join(confine.private, 'state', 'packs', env.GC_PACK_NAME ?? environment.city) }
  const links = login ? [login] : []
  const around = { home: place.home, gcHome: environment.home, city: config.path, rigs: config.rigs }
  const certificates = certificatePlaces(environment.env)
    .flatMap((path) => findFixed(path, writtenByAgents(config)) ?? [])
    .filter((path) => voids(path, 'read', around) === undefined)
  return {
    argv: confinable.startCommand ? launch.argv : withArguments(launch.argv, kept.args, provider),
    env: { ...Object.fromEntries(Object.entries(env).filter(([variable]) => !kept.without.has(variable))), ...state },
    confine: {
      ...{ ...confine, begin: { files, links } },
      read: [...confine.read, ...links.map(({ to }) => realPath(to)), ...certificates],
      proxy: proxyRules(reach, kept),
    },
  }
}

/** The arguments stand behind the words of the provider's command. */
function withArguments(argv: readonly string[], args: readonly string[], provider: Provider | undefined): string[] {
  const words = splitCommand(provider?.command ?? '').length
  return [...argv.slice(0, words), ...args, ...argv.slice(words)]
}
