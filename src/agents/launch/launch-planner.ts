import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Account, type Accounts, homeVariables, isOtherLogin } from '../../config/accounts/index.ts'
import type { AgentConfig } from '../../config/agents/index.ts'
import { agentNamed, type CityConfig } from '../../config/city/index.ts'
import type { Config } from '../../config/compose/index.ts'
import {
  agentProfile,
  confinementRisk,
  findFixed,
  isOpenToAgents,
  worktreeFolders,
  writtenByAgents,
} from '../../config/confinement/index.ts'
import {
  commandFields,
  type PromptRequest,
  type PromptSubject,
  promptFields,
  renderCommand,
  type TemplateFields,
  toData,
  usedFragments,
} from '../../config/prompts/index.ts'
import {
  beacon,
  buildLaunch,
  composePrompt,
  type Launch,
  type Provider,
  programOf,
  protocolLaunch,
  resolveProvider,
  splitCommand,
  type Transport,
} from '../../config/providers/index.ts'
import { AppError } from '../../core/errors.ts'
import { findProgram } from '../../core/files.ts'
import { contains, realPath } from '../../core/folders.ts'
import { oncePerTick } from '../../core/once-per-tick.ts'
import { looksSecret } from '../../core/text/index.ts'
import { certificatePlaces } from '../../host/confine/index.ts'
import type { Confinement, ProgramOnTerminal, ToolServer } from '../../host/protocol/index.ts'
import type { TerminalProgram } from '../../host/terminal/index.ts'
import { confinedProgram } from '../../programs/confinements.ts'
import type { ProjectPart } from '../../programs/parts/index.ts'
import { profileOf } from '../../programs/screens.ts'
import { identityOf, instanceNamed, type SessionRow } from '../../work/sessions/index.ts'
import {
  acceptedDialogs,
  type Confinable,
  type ConfinementPlace,
  confinableOf,
  confinementOf,
  firstRunFiles,
  keepKeys,
  loginFile,
  obstacleToConfinement,
  packOf,
  proxyRules,
  requireOwnAddress,
  storedKeys,
  trustsRig,
  type UnsharedLogin,
  unsharedLogin,
} from '../confinement/index.ts'
import { type CityEnvironment, sessionEnvironment } from './environment.ts'
import { driftOf, type Fingerprint, fingerprint, LIVE } from './fingerprint.ts'
import { missingScript } from './missing-script.ts'
import type { PreparedLaunch } from './prepared-launch.ts'
import { type PromptedSession, promptSubject, withDetails } from './prompt-subjects.ts'
import { programOnTerminal } from './terminal-profiles.ts'
import { ensureWorkFolder, folderInCity } from './work-folder.ts'

/** The prompt of a session that resumes its conversation. */
const RESUME_PROMPT =
  'Your program restarted with your earlier conversation. Continue; `gc hook --claim --json` shows your work.'

/** Decides what to run for an agent or a provider, and whether it can be run. */
export class LaunchPlanner {
  constructor(
    private readonly environment: CityEnvironment,
    private readonly config: Pick<Config, 'current'>,
    private readonly accounts: Pick<Accounts, 'all' | 'named' | 'environment'>,
    private readonly now: () => number,
  ) {}

  /** All that is declared: other objects once any of it has changed. */
  get declarations(): { config: CityConfig; accounts: readonly Account[] } {
    return { config: this.config.current, accounts: this.accounts.all }
  }

  agent(qualified: string): AgentConfig | undefined {
    return agentNamed(this.config.current, qualified)
  }

  /** The instance of a pool that a name means, and its agent. */
  instance(written: string): { agent: AgentConfig; name: string } | undefined {
    for (const agent of this.config.current.agents) {
      const name = instanceNamed(agent, written)
      if (name !== undefined) return { agent, name }
    }
    return undefined
  }

  /** The agent of a session, as it is run: with the provider of the account that is in for its own. */
  #agentOf(row: Pick<SessionRow, 'kind' | 'template' | 'login'>): AgentConfig | undefined {
    const agent = row.kind === 'agent' ? this.agent(row.template) : undefined
    const account = this.accounts.named(row.login)
    const own = account && this.#resolvable(agent?.provider)
    if (!agent || !account || !own || agent.startCommand) return agent
    const other = account.provider === (own.ancestor ?? own.name) ? undefined : this.#resolvable(account.provider)
    return other ? asStandIn(agent, other) : agent
  }

  /** The options of one session, which an agent's own provider knows. */
  #optionsOf(row: SessionRow): Readonly<Record<string, string>> {
    return row.kind === 'agent' && this.#agentOf(row) !== this.agent(row.template) ? {} : row.options
  }

  /** The provider that an agent runs; undefined when it has a command of its own. */
  providerOf(agent: AgentConfig): Provider | undefined {
    return agent.provider === undefined ? undefined : this.provider(agent.provider)
  }

  provider(name: string): Provider {
    return resolveProvider(name, this.config.current.providers)
  }

  /** Way to read and drive a session's terminal. */
  program(row: SessionRow): TerminalProgram {
    return { profile: profileOf(this.programOnTerminal(row)) }
  }

  /** Facts about the program on a session's terminal. */
  programOnTerminal(row: SessionRow): ProgramOnTerminal {
    const agent = row.kind === 'agent' ? this.agent(row.template) : undefined
    if (agent?.startCommand || this.transport(row) === 'acp') return {}
    const provider = this.#resolvable(row.provider)
    return provider ? programOnTerminal(provider) : {}
  }

  /** Transport of a session's program after its next start. */
  transport(row: Pick<SessionRow, 'kind' | 'template' | 'provider' | 'login'>): Transport {
    const agent = this.#agentOf(row)
    if (agent?.session !== undefined) return agent.session === 'acp' ? 'acp' : 'terminal'
    if (this.config.current.session.provider !== 'acp' || agent?.startCommand) return 'terminal'
    const provider = this.config.current.providers.has(row.provider) ? this.provider(row.provider) : undefined
    return provider?.supportsAcp || provider?.acpCommand !== undefined ? 'acp' : 'terminal'
  }

  /** Reason an agent cannot be started; undefined when nothing is known to prevent it. */
  problem(agent: AgentConfig): string | undefined {
    try {
      return unusable(agent, this.config.current, this.environment) ?? this.#missingProgram(agent)
    } catch (error) {
      if (error instanceof AppError) return error.message
      throw error
    }
  }

  #missingProgram(agent?: AgentConfig, provider = agent && this.providerOf(agent)): string | undefined {
    if (agent?.startCommand) return missingScript(agent, this.rigPath(agent.dir), this.environment.path)
    return provider ? this.missing(provider, agent) : 'it has neither a provider nor a start_command; give it one'
  }

  /** Maximum time a program may take from its start until it works. */
  startupTimeout({ provider }: { provider?: string | undefined }): number {
    return this.#resolvable(provider)?.startupTimeout ?? this.config.current.session.startupTimeout
  }

  /** A provider; undefined when it is not declared, or its declaration has an error. */
  #resolvable(name: string | undefined): Provider | undefined {
    if (name === undefined) return undefined
    try {
      return this.provider(name)
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  /** Reason a provider cannot be started: its program is not on the PATH, or it cannot be confined without an agent. */
  missing(provider: Provider, agent?: AgentConfig): string | undefined {
    const confine = agent ? 'off' : this.config.current.defaultConfine
    return obstacleToConfinement({ confine }, this.environment) ?? missingProgram(provider, agent, this.environment)
  }

  /** The working folder of a new session of an agent. */
  workDir(agent: AgentConfig, subject: PromptSubject): string {
    const rig = this.rigPath(agent.dir)
    if (agent.workDir === undefined) return rig ?? folderInCity(this.environment.path, agent.qualified, agent.confine)
    return resolve(this.environment.path, renderCommand(agent.workDir, commandFields(subject)))
  }

  /** As whose session one is confined. */
  confinable(row: Pick<SessionRow, 'kind' | 'template' | 'login'>): Confinable | undefined {
    return confinableOf(row, this.#agentOf(row), this.config.current)
  }

  /** The login that a session does not see because it is confined. */
  unsharedLogin(row: SessionRow): UnsharedLogin | undefined {
    return unsharedLogin(this.confinable(row), this.config.current, this.environment.env)
  }

  rigPath(rig: string | undefined): string | undefined {
    return this.config.current.rigs.find(({ name }) => name === rig)?.path
  }

  /**
   * The arguments, folder and environment of a session's next start, with its rendered instructions; throws when it cannot
   * be started.
   */
  prepare(row: SessionRow, token: string, instructions: string, servers: readonly ToolServer[] = []): PreparedLaunch {
    const agent = this.#agentOf(row)
    if (row.kind === 'agent' && !agent)
      throw new AppError('agent-not-found', `agent '${row.template}' is no longer in the configuration`)
    const provider = agent ? this.providerOf(agent) : this.provider(row.provider)
    const reason = agent && unusable(agent, this.config.current, this.environment)
    const missing = reason ?? this.#missingProgram(agent, provider)
    if (missing) throw new AppError('service-unavailable', missing)
    ensureWorkFolder(row.workDir, agent, this.config.current)
    const transport = this.transport(row)
    const resume = conversationToResume(row, agent, provider, transport)
    const launch = (key: string | undefined) => this.#launch(row, agent, provider, key, transport, instructions)
    const launched = launch(resume)
    const fresh = resume === undefined ? launched : launch(undefined)
    const confinable = this.confinable(row)
    const request = { row, agent, confinable, provider, launch: launched, token, config: this.config.current }
    const { argv, env, confine } = sessionStart(request, this.environment, this.accounts)
    const fingerprint = this.#fingerprint(row, agent, provider)
    const { model } = { ...provider?.optionDefaults, ...agent?.optionDefaults, ...this.#optionsOf(row) }
    return {
      ...{ argv, cwd: row.workDir, env, confine },
      typedPrompt: launched.typed,
      transport,
      resume,
      model: model || undefined,
      servers: transport === 'acp' ? [...servers] : [],
      freshPrompt: fresh.typed,
      ...{ program: this.program(row), resumed: resume !== undefined, fingerprint },
    }
  }

  /** The files of a session's project by which its program runs gc's own protocol without asking. */
  protocolFiles(row: SessionRow): readonly ProjectPart[] {
    const agent = this.#agentOf(row)
    const provider = agent ? this.providerOf(agent) : this.#resolvable(row.provider)
    if (!provider) return []
    const transport = this.transport(row)
    const resume = conversationToResume(row, agent, provider, transport)
    const options = this.#optionsOf(row)
    const request = { provider, options, transport, gc: this.environment.bin }
    const { files } = protocolLaunch({ ...request, ...(agent && { agent }), ...(resume !== undefined && { resume }) })
    return files ?? []
  }

  /** The variables that lead to what a session's program keeps, such as its log. */
  homeVariables(row: Pick<SessionRow, 'login'>): Record<string, string> {
    const account = this.accounts.named(row.login)
    return account ? homeVariables(account) : {}
  }

  /** The keys of a session's declaration that have changed since its start. */
  drift(row: SessionRow): string[] {
    const declared = this.declared(row)
    return declared ? driftOf(row.fingerprint, declared) : []
  }

  /** Start that a session would get now; undefined if it cannot start. */
  declared(row: SessionRow): Fingerprint | undefined {
    const agent = this.#agentOf(row)
    if (row.kind !== 'agent' || !agent) return undefined
    try {
      return this.#fingerprint(row, agent, this.providerOf(agent))
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  #fingerprint(row: SessionRow, agent: AgentConfig | undefined, provider: Provider | undefined): Fingerprint {
    const fields = commandFields(this.promptSubject(row))
    const { argv, env } = buildLaunch({
      ...(provider && { provider }),
      ...(agent && { agent }),
      options: this.#optionsOf(row),
      fields,
      transport: this.transport(row),
    })
    const { prompt, preStart, sessionSetup, sessionSetupScript, sessionLive } = agent ?? {}
    const setup = { session_setup: sessionSetup, session_setup_script: sessionSetupScript, [LIVE]: sessionLive }
    const servers = this.transport(row) === 'acp' ? this.declaredServers(row.template) : []
    const text = { prompt: prompt?.text, fragments: prompt && [prompt.append, usedFragments(prompt)] }
    return fingerprint({ command: argv, env, ...text, pre_start: preStart, mcp_servers: servers, ...setup })
  }

  /** The MCP servers that city.toml declares for an agent. */
  declaredServers(agent: string): ToolServer[] {
    const { mcpServers } = this.config.current
    return mcpServers.filter(({ agents }) => agents?.includes(agent) ?? true).map(({ connection }) => connection)
  }

  /** Facts about a session for templates of commands. */
  promptSubject(row: PromptedSession): PromptSubject {
    return promptSubject(row, this.agent(row.template), this.config.current, this.environment)
  }

  /** Facts about a session for templates of prompts. */
  promptData(row: PromptedSession): TemplateFields {
    return promptFields(withDetails(this.promptSubject(row), this.providerOfSession(row)))
  }

  /** The provider of a session; undefined when it has none that can be used. */
  providerOfSession(row: Pick<SessionRow, 'provider'>): Provider | undefined {
    return this.#resolvable(row.provider)
  }

  /** Input for rendering the prompt of a session's agent; undefined without one. */
  promptRequest(row: PromptedSession): PromptRequest | undefined {
    const prompt = this.agent(row.template)?.prompt
    return prompt && { ...prompt, data: Object.fromEntries(toData(this.promptData(row))) }
  }

  /** True if a session works in a rig which a person trusts, or in a folder that gc made of it. */
  #isTrusted(row: SessionRow, agent: AgentConfig | undefined, provider: Provider | undefined): boolean {
    const { path, env } = this.environment
    const rig = this.rigPath(row.rig)
    const isWorktree = agent?.worktree && contains(worktreeFolders(path), row.workDir)
    if (!agent || rig === undefined || !(isWorktree || row.workDir === rig)) return false
    if (agent.confine !== 'off' ? acceptedDialogs(path, row, rig).trust : trustsRig(path, row, rig)) return true
    // The program itself knows the folders that its user trusts.
    if (!isWorktree) return false
    const variables = { ...env, ...provider?.env, ...agent.env, ...this.homeVariables(row) }
    const known = Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    const place = { env: Object.fromEntries(known), home: variables.HOME ?? homedir(), workDir: rig }
    return confinedProgram(provider?.ancestor ?? provider?.name).isTrusted?.(place) ?? false
  }

  #launch(
    row: SessionRow,
    agent: AgentConfig | undefined,
    provider: Provider | undefined,
    resume: string | undefined,
    transport: Transport,
    instructions: string,
  ): Launch {
    const subject = this.promptSubject(row)
    const greeting = beacon(subject.city, identityOf(row), this.now())
    const common = {
      ...(provider && { provider }),
      ...(agent && { agent }),
      ...{ options: this.#optionsOf(row), fields: commandFields(subject), transport, gc: this.environment.bin },
      trusted: this.#isTrusted(row, agent, provider) ? row.workDir : undefined,
    }
    if (resume !== undefined) {
      const prompt = row.origin === 'manual' ? '' : `${greeting}\n${RESUME_PROMPT}`
      return buildLaunch({ ...common, ...(prompt && { prompt }), resume })
    }
    const first = row.wokeAt === null ? (row.firstMessage ?? '') : ''
    const message = first ? `User message:\n\n${first}` : ''
    const prompt = agent ? composePrompt(greeting, instructions, message) : first
    const isTaken = agent?.prompt !== undefined || message || !agent?.startCommand
    return buildLaunch({ ...common, ...(prompt && isTaken && { prompt }) })
  }
}

/** An agent on another provider: what is declared for the options and the command of its own does not apply there. */
function asStandIn(agent: AgentConfig, provider: Provider): AgentConfig {
  const { session, promptMode: _, promptFlag: __, resumeCommand: ___, ...rest } = agent
  const speaksAcp = provider.supportsAcp || provider.acpCommand !== undefined
  const transport = session === 'acp' && !speaksAcp ? undefined : session
  return { ...rest, ...(transport && { session: transport }), provider: provider.name, args: [], optionDefaults: {} }
}

/** The conversation that a session's next start resumes; undefined to begin a new one. */
function conversationToResume(
  row: SessionRow,
  agent: AgentConfig | undefined,
  provider: Provider | undefined,
  transport: Transport,
) {
  if (row.wokeAt === null || row.sessionKey === null || agent?.wakeMode === 'fresh') return undefined
  if (transport === 'acp') return row.sessionKey
  if (agent?.startCommand || !provider) return undefined
  const canResume = agent?.resumeCommand ?? provider.resumeCommand ?? provider.resumeFlag
  return canResume ? row.sessionKey : undefined
}

/**
 * Reason an agent cannot be started whatever it runs: the city's files are broken, its pack is wrong, its rig lies
 * nowhere on this machine, or it cannot be confined as it asks.
 */
function unusable(
  agent: AgentConfig,
  { rigs, held }: Pick<CityConfig, 'rigs' | 'held'>,
  place: Pick<ConfinementPlace, 'tokenRequirement'>,
): string | undefined {
  const { broken, dir } = agent
  if (held !== undefined) return held
  if (broken !== undefined) return broken
  const rig = rigs.find(({ name }) => name === dir)
  if (!rig || rig.path !== undefined) return obstacleToConfinement(agent, place)
  return `rig ${rig.name} is bound to no folder; \`gc rig add <folder> --name ${rig.name}\` says where it is`
}

/** Message that the program of a provider is missing; undefined if it is installed. */
function missingProgram(
  provider: Provider,
  agent: Pick<AgentConfig, 'env' | 'session'> | undefined,
  environment: Pick<CityEnvironment, 'env' | 'path'>,
): string | undefined {
  const { command, path = environment.env.PATH ?? '' } = programOf(provider, agent)
  return programs(environment.path)(path)(command) === 'there' ? undefined : notOnPath(provider.name, command)
}

/** True if there is a program, by the folder of a city, the PATH and the name: many agents run the same one. */
const programs = oncePerTick((base: string) =>
  oncePerTick((path: string) =>
    oncePerTick((command: string) => (findProgram(command, path, base) === undefined ? 'missing' : 'there')),
  ),
)

/** Message that a provider has no program, in the words that clients parse; names the program if it differs. */
const notOnPath = (provider: string, program: string): string =>
  `provider '${provider}' not found in PATH${program === provider ? '' : `: there is no program ${program}`}`

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

/** Start of a program: its sandbox and its variables. */
interface SessionStart {
  argv: string[]
  env: Record<string, string>
  confine: Confinement | undefined
}

/** Puts together how a session's program is started. One that is confined is given no keys that gc can keep for it. */
function sessionStart(
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
    pack: { name: agent?.block.pack?.name ?? environment.city, folder: agent?.configDir ?? environment.path },
    isForeign: (name) => isForeign(name) || (confine !== undefined && looksSecret(name, environment.env[name])),
  })
  if (!confinable || !confine) return { argv: launch.argv, env, confine }
  const name = provider?.ancestor ?? provider?.name
  const own = Object.entries(environment.env).filter(([variable]) => !isForeign(variable))
  const { unknownHosts, shareLogin, ...profile } = agentProfile(confinable, config)
  const allowHosts = profile.allowHosts.map(({ value }) => value)
  const ports = profile.ports.map(({ value }) => value)
  const isOpen = rig !== undefined && isOpenToAgents(rig, config)
  const reach = {
    ...{ agent: confinable, provider: name, rig: rigPath, isOpen, env: environment.env },
    ...{ allowHosts, unknownHosts: unknownHosts?.value },
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
  const files = firstRunFiles(name, { ...place, accepted: acceptedDialogs(environment.path, row, rigPath) })
  const login = shareLogin?.value ? loginFile(name, place) : undefined
  // What all sessions of a pack write would have one of them decide what the others, and its orders, find there.
  const state = { GC_PACK_STATE_DIR: join(confine.private, 'state', 'packs', env.GC_PACK_NAME ?? environment.city) }
  const links = login ? [login] : []
  const around = { home: place.home, gcHome: environment.home, city: config.path, rigs: config.rigs }
  const certificates = certificatePlaces(environment.env)
    .flatMap((path) => findFixed(path, writtenByAgents(config)) ?? [])
    .filter((path) => confinementRisk(path, 'read', around) === undefined)
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
