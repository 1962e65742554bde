import type { AgentConfig } from '../../config/city-config.ts'
import type { Provider } from '../../config/providers/provider.ts'
import { AppError } from '../../core/errors.ts'
import type { SessionRow } from '../sessions/table.ts'
import type { Login } from './login.ts'
import type { LoginLimits } from './login-limits.ts'

/** What of a session decides which logins it may run on. */
export type LoginUser = Pick<SessionRow, 'kind' | 'template'>

interface LoginsOptions {
  launcher: {
    agent(qualified: string): AgentConfig | undefined
    provider(name: string): Provider
  }
  limits: Pick<LoginLimits, 'roomAt'>
}

/** Variables with which an agent or provider declares a login of its own. */
const OWN_LOGIN = /(?:_API_KEY|_AUTH_TOKEN|_OAUTH_TOKEN|^CLAUDE_CONFIG_DIR|^CODEX_HOME|^GEMINI_CLI_HOME)$/

/** Decides which login a session runs on. */
export class Logins {
  constructor(private readonly options: LoginsOptions) {}

  /** The login that a session runs on, or would. */
  of(row: LoginUser & Pick<SessionRow, 'login'>): Login {
    const candidates = this.#candidates(row)
    return candidates.find(({ id }) => id === row.login) ?? candidates[0]
  }

  /** From when on a session can be started: 0 when one of its logins has room now. */
  roomAt(row: LoginUser): number {
    return Math.min(...this.#candidates(row).map(({ id }) => this.options.limits.roomAt(id)))
  }

  /** The login on which to start a session now; undefined when none has room. A person's session is started all the same. */
  choose(row: LoginUser & Pick<SessionRow, 'login' | 'origin'>): Login | undefined {
    const candidates = this.#candidates(row)
    const open = candidates.filter(({ id }) => this.options.limits.roomAt(id) === 0)
    const before = open.find(({ id }) => id === row.login)
    return before ?? open[0] ?? (row.origin === 'manual' ? candidates[0] : undefined)
  }

  #candidates({ kind, template }: LoginUser): [Login, ...Login[]] {
    const agent = kind === 'agent' ? this.options.launcher.agent(template) : undefined
    const provider = this.#provider(agent ? agent.provider : template)
    if (!provider || agent?.startCommand !== undefined) return [{ id: `agent:${template}`, provider: '' }]
    const name = provider.ancestor ?? provider.name
    if (declaresLogin(agent?.env)) return [{ id: `agent:${template}`, provider: name }]
    if (declaresLogin(provider.env)) return [{ id: `provider:${provider.name}`, provider: name }]
    return [{ id: name, provider: name }]
  }

  /** A provider; undefined when it is not declared, or not any more. */
  #provider(name: string | undefined): Provider | undefined {
    if (name === undefined) return undefined
    try {
      return this.options.launcher.provider(name)
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }
}

const declaresLogin = (env: Readonly<Record<string, string>> = {}): boolean =>
  Object.keys(env).some((name) => OWN_LOGIN.test(name))
