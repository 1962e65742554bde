import type { Accounts } from '../../../config/accounts/index.ts'
import type { CityConfig } from '../../../config/city/index.ts'
import type { AttentionSource } from '../../../core/attention.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { toTimestamp } from '../../../core/clock.ts'
import { unsubscriber } from '../../../core/signal.ts'
import { type UnsharedLogin, unsharedLogin } from '../../confinement/index.ts'
import type { LimitRow, LoginLimits, Logins } from '../../limits/index.ts'
import type { ListedItem } from '../schema.ts'

/** Logins that only a person can fix, and limits that leave agents without any login that has room. */
export class LoginAttention implements AttentionSource<ListedItem> {
  readonly name = 'logins'

  constructor(
    private readonly context: Pick<CityContext, 'clock'>,
    private readonly peers: {
      config: { readonly current: CityConfig; onChange(listener: () => void): () => void }
      accounts: Accounts
      limits: Pick<LoginLimits, 'all' | 'onChange'>
      logins: Pick<Logins, 'candidates' | 'roomAt'>
      /** True if a session asks a person to log in, which is listed as its question. */
      isAsking(login: string): boolean
      /** The environment of the supervisor. */
      env: Readonly<Record<string, string | undefined>>
    },
  ) {}

  items(): ListedItem[] {
    const { clock } = this.context
    const { accounts, limits, isAsking } = this.peers
    const { problem, file } = accounts
    if (problem !== undefined) {
      return [
        {
          id: 'accounts:file',
          kind: 'login',
          asks: problem,
          to_do: `fix ${file.path}; until then nothing is started`,
        },
      ]
    }
    const now = clock.now()
    const held = this.#loginsOfHeldAgents()
    return [
      ...accounts.all.flatMap((account) => {
        const broken = accounts.problemOf(account)
        if (broken === undefined) return []
        return [
          {
            id: `account:${account.name}`,
            kind: 'login' as const,
            asks: `Account ${account.name} is not used: ${broken}`,
            to_do: `gc account check ${account.name}`,
          },
        ]
      }),
      ...limits.all().flatMap((row) => {
        if (row.state === 'dead') return isAsking(row.login) ? [] : [deadItem(row, this.#unshared(row.login))]
        return row.until !== null && row.until > now && held.has(row.login) ? [limitItem(row, row.until)] : []
      }),
    ]
  }

  onChange(listener: () => void): () => void {
    return unsubscriber(
      this.peers.limits.onChange(listener),
      this.peers.config.onChange(listener),
      this.peers.accounts.file.onChange(listener),
    )
  }

  /** Login sharing for sessions that found no login. */
  #unshared(login: string): UnsharedLogin | undefined {
    const { config, logins, env } = this.peers
    const users = config.current.agents.filter(({ qualified }) =>
      logins.candidates({ kind: 'agent', template: qualified }).some(({ id }) => id === login),
    )
    return users.flatMap((agent) => unsharedLogin(agent, config.current, env) ?? [])[0]
  }

  /** The logins of agents none of whose logins has room. */
  #loginsOfHeldAgents(): ReadonlySet<string> {
    const { config, logins } = this.peers
    const users = config.current.agents.map(({ qualified }) => ({ kind: 'agent', template: qualified }) as const)
    return new Set(
      users.filter((user) => logins.roomAt(user) > 0).flatMap((user) => logins.candidates(user).map(({ id }) => id)),
    )
  }
}

const deadItem = ({ login, provider, reason, since }: LimitRow, unshared: UnsharedLogin | undefined): ListedItem => ({
  id: `login:${login}`,
  kind: 'login',
  since: toTimestamp(since),
  asks: `The login ${login}${provider && provider !== login ? ` of ${provider}` : ''} is not accepted, and nothing is started on it: ${reason}`,
  to_do: unshared
    ? `gc confine share-login ${unshared.provider} lets confined sessions read ${unshared.file}; then gc account check ${login}`
    : `log in, then gc account check ${login}`,
})

const limitItem = ({ login, provider, reason, since }: LimitRow, until: number): ListedItem => ({
  id: `limit:${login}`,
  kind: 'limit',
  since: toTimestamp(since),
  until: toTimestamp(until),
  asks: `The usage limit of ${login} is reached, and no other account has quota before ${toTimestamp(until)}: ${reason}`,
  to_do:
    provider === ''
      ? 'wait, or raise the limit'
      : `wait, or gc account add <name> --provider ${provider} --home <folder>`,
})
