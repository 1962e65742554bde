import type { Accounts, Account as DeclaredAccount } from '../../config/accounts/index.ts'
import type { CityConfig } from '../../config/city/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { SessionRepository } from '../../work/sessions/index.ts'
import type { Login, LoginLimits, Logins } from '../limits/index.ts'
import type { LoginCheck } from './login-check.ts'
import type { Account, AccountAdd, AccountCheck, AccountList } from './schema.ts'

/** The logins that the programs of a city run on: declared accounts, and those that programs have on their own. */
export class LoginAccounts {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      config: { readonly current: CityConfig }
      accounts: Accounts
      limits: LoginLimits
      logins: Pick<Logins, 'ownLogin' | 'candidates'>
      repository: Pick<SessionRepository, 'live' | 'notifyChanged'>
      check: LoginCheck
    },
  ) {}

  list(): AccountList {
    const { problem } = this.peers.accounts
    if (problem !== undefined) throw new AppError('conflict-wrong-state', problem)
    const items = this.#logins().map((login) => this.#toAccount(login))
    return { items, total: items.length }
  }

  /** Declares an account. The first one of a provider keeps the program's own login in use beside it. */
  async add({ name, provider, home, env_file, stands_in_for = [] }: AccountAdd): Promise<Account> {
    const { accounts, repository } = this.peers
    if (accounts.named(name)) throw new AppError('conflict-wrong-state', `account ${name} already exists`)
    const isFirst = !accounts.all.some((account) => account.provider === provider)
    const draft = {
      name,
      provider,
      standsInFor: stands_in_for,
      ...(home && { home }),
      ...(env_file && { envFile: env_file }),
    }
    const problem = env_file === undefined ? undefined : accounts.problemOf({ envFile: env_file })
    if (problem !== undefined) throw new AppError('invalid-request', problem)
    if (isFirst && name !== provider && stands_in_for.length === 0)
      await accounts.file.add({ name: provider, provider })
    const account = await accounts.file.add(draft)
    repository.notifyChanged()
    return this.#toAccount({ id: name, provider, account })
  }

  /** Removes an account from the file. What runs on it continues. */
  async remove(name: string): Promise<OKResponseBody> {
    const { accounts, repository } = this.peers
    await accounts.file.remove(name)
    repository.notifyChanged()
    return { status: 'removed' }
  }

  /** Looks whether a login can be worked with; one that was dead is used again when nothing is wrong with it. */
  async check(caller: Caller, name: string, { lift = false }: AccountCheck): Promise<Account> {
    const { store } = this.context
    const { limits, check } = this.peers
    const login = this.#find(name)
    const problem = await check.problem(login.provider, login.account)
    await store.write((tx) => {
      if (problem !== undefined) limits.failed(tx, login, problem)
      else if (lift || limits.find(name)?.state === 'dead') limits.restore(tx, name)
    }, actorOf(caller))
    return this.#toAccount(login)
  }

  #find(name: string): Login {
    const login = this.#logins().find(({ id }) => id === name)
    if (login) return login
    throw new AppError('account-not-found', `there is no account ${name}; \`gc account list\` lists valid names`)
  }

  /** Declared accounts first, then the other logins of this city's agents, and those that are limited or dead. */
  #logins(): Login[] {
    const { accounts, config, logins, limits } = this.peers
    const declared = accounts.all.map((account) => ({ id: account.name, provider: account.provider, account }))
    const used = config.current.agents.flatMap(({ qualified }) =>
      logins.candidates({ kind: 'agent', template: qualified }),
    )
    const held = limits.all().map(({ login, provider }) => ({ id: login, provider }))
    const byId = new Map<string, Login>()
    for (const login of [...declared, ...used.filter(({ provider }) => provider !== ''), ...held]) {
      if (!byId.has(login.id)) byId.set(login.id, login)
    }
    return [...byId.values()]
  }

  #toAccount({ id, provider, account }: Login): Account {
    const { repository } = this.peers
    const sessions = repository.live().filter(({ login, hostKey }) => login === id && hostKey !== null).length
    return {
      name: id,
      provider,
      declared: account !== undefined,
      ...declaredFields(account),
      ...this.#stateOf(id, account),
      sessions,
    }
  }

  #stateOf(
    id: string,
    account: DeclaredAccount | undefined,
  ): Pick<Account, 'state' | 'reason' | 'since' | 'until' | 'stated'> {
    const { accounts, limits } = this.peers
    const problem = account && accounts.problemOf(account)
    if (problem !== undefined) return { state: 'broken', reason: problem }
    const row = limits.find(id)
    if (!row || limits.roomAt(id) === 0) return { state: 'ok' }
    return {
      state: row.state,
      reason: row.reason,
      since: toTimestamp(row.since),
      ...(row.until !== null && { until: toTimestamp(row.until), stated: row.stated }),
    }
  }
}

const declaredFields = (account: DeclaredAccount | undefined): Pick<Account, 'home' | 'env_file' | 'stands_in_for'> => {
  const { home, envFile, standsInFor = [] } = account ?? {}
  return {
    ...(home !== undefined && { home }),
    ...(envFile !== undefined && { env_file: envFile }),
    ...(standsInFor.length > 0 && { stands_in_for: [...standsInFor] }),
  }
}
