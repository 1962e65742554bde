import type { Account, Accounts } from '../../config/accounts/index.ts'
import type { AgentConfig } from '../../config/agents/index.ts'
import type { Provider } from '../../config/providers/index.ts'
import { AppError } from '../../core/errors.ts'
import { PROGRAMS } from '../../programs/list.ts'
import type { SessionRow } from '../../work/sessions/index.ts'
import type { Login } from './login.ts'
import type { LoginLimits } from './login-limits.ts'

/** Facts about a session that decide its possible logins. */
export type LoginUser = Pick<SessionRow, 'kind' | 'template'>

interface LoginsOptions {
  launchPlanner: {
    agent(qualified: string): AgentConfig | undefined
    provider(name: string): Provider
  }
  accounts: Pick<Accounts, 'all' | 'problem' | 'problemOf'>
  limits: Pick<LoginLimits, 'roomAt'>
  repository: { live(): readonly Pick<SessionRow, 'login' | 'hostKey'>[] }
}

/** Variables with which an agent or provider declares a login of its own. */
const KEY = /(?:_API_KEY|_AUTH_TOKEN|_OAUTH_TOKEN)$/
/** Those of the base directories lead every program. */
const HOMES = new Set(PROGRAMS.flatMap(({ home }) => home?.variable ?? []).filter((name) => !name.startsWith('XDG_')))

/** Decides which login a session runs on. */
export class Logins {
  /** The login of each agent as it is declared, with the provider that it was found for. */
  readonly #ofAgents = new WeakMap<AgentConfig, { provider: Provider | undefined; login: Login }>()

  constructor(private readonly options: LoginsOptions) {}

  /** The login that a session runs on, or would. */
  of(row: LoginUser & Pick<SessionRow, 'login'>): Login {
    const candidates = this.candidates(row)
    return candidates.find(({ id }) => id === row.login) ?? candidates[0]
  }

  /** True if a session can continue with another login than its own now. */
  hasOther(row: LoginUser & Pick<SessionRow, 'login'>): boolean {
    const own = this.of(row).id
    return this.candidates(row).some((login) => login.id !== own && this.#roomAt(login) === 0)
  }

  /** From when on a session can be started: 0 when one of its logins has room now. */
  roomAt(row: LoginUser): number {
    const own = this.ownLogin(row)
    const { all, problem } = this.options.accounts
    if (own.provider !== '' && problem !== undefined) return Number.POSITIVE_INFINITY
    if (all.length === 0) return this.#roomAt(own)
    return Math.min(...this.candidates(row).map((login) => this.#roomAt(login)))
  }

  /**
   * The login on which to start a session now: that of before, else the one with the fewest programs; undefined when none
   * has room. A person's session is started all the same.
   */
  choose(row: LoginUser & Pick<SessionRow, 'login' | 'origin'>): Login | undefined {
    if (this.#accountsProblem(row) !== undefined) return undefined
    const candidates = this.candidates(row)
    const open = candidates.filter((login) => this.#roomAt(login) === 0)
    const before = open.find(({ id, standsIn }) => id === row.login && !standsIn)
    if (before || open.length === 1) return before ?? open[0]
    const used = this.#programsByLogin()
    const byUse = (a: Login, b: Login) =>
      Number(a.standsIn ?? false) - Number(b.standsIn ?? false) || (used.get(a.id) ?? 0) - (used.get(b.id) ?? 0)
    return open.toSorted(byUse)[0] ?? (row.origin === 'manual' ? candidates[0] : undefined)
  }

  /** Every login that a session may run on, the preferred ones first. */
  candidates(row: LoginUser): [Login, ...Login[]] {
    const own = this.ownLogin(row)
    const { provider, id } = own
    if (provider === '' || id !== provider) return [own]
    const { all } = this.options.accounts
    const [first, ...others] = all.filter((account) => account.provider === provider).map(toLogin)
    const standIns = row.kind === 'agent' ? all.filter(({ standsInFor }) => standsInFor.includes(provider)) : []
    return [first ?? own, ...others, ...standIns.map((account) => ({ ...toLogin(account), standsIn: true }))]
  }

  /** The login that a session has where no account is declared. */
  ownLogin({ kind, template }: LoginUser): Login {
    const agent = kind === 'agent' ? this.options.launchPlanner.agent(template) : undefined
    const provider = this.#provider(agent ? agent.provider : template)
    if (!agent) return ownLoginOf(template, agent, provider)
    const known = this.#ofAgents.get(agent)
    if (known && known.provider === provider) return known.login
    const login = ownLoginOf(template, agent, provider)
    this.#ofAgents.set(agent, { provider, login })
    return login
  }

  #roomAt({ id, account }: Login): number {
    const { accounts, limits } = this.options
    return account && accounts.problemOf(account) !== undefined ? Number.POSITIVE_INFINITY : limits.roomAt(id)
  }

  /** Reason no program is started that an account might be declared for. */
  #accountsProblem(row: LoginUser): string | undefined {
    return this.ownLogin(row).provider === '' ? undefined : this.options.accounts.problem
  }

  #programsByLogin(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { login, hostKey } of this.options.repository.live()) {
      if (hostKey !== null) counts.set(login, (counts.get(login) ?? 0) + 1)
    }
    return counts
  }

  /** A provider; undefined when it is not declared, or not any more. */
  #provider(name: string | undefined): Provider | undefined {
    if (name === undefined) return undefined
    try {
      return this.options.launchPlanner.provider(name)
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }
}

function ownLoginOf(template: string, agent: AgentConfig | undefined, provider: Provider | undefined): Login {
  if (!provider || agent?.startCommand !== undefined) return { id: `agent:${template}`, provider: '' }
  const name = provider.ancestor ?? provider.name
  if (declaresLogin(agent?.env)) return { id: `agent:${template}`, provider: name }
  if (declaresLogin(provider.env)) return { id: `provider:${provider.name}`, provider: name }
  return { id: name, provider: name }
}

const toLogin = (account: Account): Login => ({ id: account.name, provider: account.provider, account })

/** True if variables lead a program to a login of its own. */
export const declaresLogin = (env: Readonly<Record<string, string>> = {}): boolean =>
  Object.keys(env).some((name) => KEY.test(name) || HOMES.has(name))
