import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asc, eq, sql } from 'drizzle-orm'
import type { AgentConfig } from '../../config/agents/index.ts'
import type { Config } from '../../config/compose/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { createFolder, requireNoLinks } from '../../core/folders.ts'
import { memoize } from '../../core/memoize.ts'
import { writePrivateFile } from '../../core/private-file.ts'
import type { Store } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { NetworkAccountAdded, NetworkAccountStarted, NetworkAccountStopped } from '../events.ts'
import type { AgentNetwork } from './network.ts'
import type { NetworkAccount, NetworkAccountChoice, NetworkAccountDraft, NetworkAccountList } from './schema.ts'
import { type NetworkAccountRow, networkAccounts } from './table.ts'

const MAX_NAME = 32
const MAX_DESCRIPTION = 2_000

/** Selects the account of an agent; runs several times per start. */
const prepareFind = ({ orm }: Store) =>
  orm
    .select()
    .from(networkAccounts)
    .where(eq(networkAccounts.agent, sql.placeholder('agent')))
    .prepare()

/** The accounts that agents of the city have on the social network. */
export class NetworkAccounts {
  readonly #keys: KeyFiles
  readonly #account = memoize(() => prepareFind(this.context.store))

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      /** The name and the folder of the city. */
      readonly name: string
      readonly path: string
      readonly config: Pick<Config, 'agent'>
      /** The social network of this supervisor; undefined while it serves none. */
      network?(): AgentNetwork | undefined
    },
  ) {
    this.#keys = new KeyFiles(options.path)
  }

  rows(): NetworkAccountRow[] {
    return this.context.store.orm.select().from(networkAccounts).orderBy(asc(networkAccounts.agent)).all()
  }

  /** The account that an agent may use now, with what its sessions need for it. */
  usable(agent: string): { name: string; url: string; keyFile: string } | undefined {
    const row = this.#find(agent)
    const network = this.options.network?.()
    if (!row || row.stopped || !network || !this.#keys.has(agent)) return undefined
    return { name: row.name, url: network.url(), keyFile: this.#keys.pathOf(agent) }
  }

  list(): NetworkAccountList {
    const items = this.rows().map((row) => this.#show(row))
    return { items, total: items.length }
  }

  /** Registers an account for an agent, whose key stays in the city. */
  async add(caller: Caller, draft: NetworkAccountDraft): Promise<NetworkAccount> {
    const { store, log, clock } = this.context
    const { name: city } = this.options
    const agent = this.options.config.agent(draft.agent)
    const network = this.#network()
    const before = this.#find(agent.qualified)
    if (before) throw hasAccount(before)
    const registered = await network.register({
      name: draft.name ?? defaultName(city, agent),
      description: (agent.description ?? `${agent.qualified} of the city ${city}`).slice(0, MAX_DESCRIPTION),
      publicKey: await this.#keys.publicKeyOf(agent.qualified),
    })
    await store.write((tx) => {
      const added = { agent: agent.qualified, account: registered.id, name: registered.name, createdAt: clock.now() }
      tx.orm.insert(networkAccounts).values(added).onConflictDoNothing().run()
      log.append(tx, NetworkAccountAdded, { subject: agent.qualified }, payloadOf(added))
    }, actorOf(caller))
    return this.#show(this.#need(agent.qualified))
  }

  /** Withdraws the keys of agents: whatever their sessions still know, they can do nothing there. */
  async stop(caller: Caller, choice: NetworkAccountChoice): Promise<NetworkAccountList> {
    const network = this.#network()
    for (const row of this.#chosen(choice)) {
      if (row.stopped) continue
      await network.setKey(row.account, undefined)
      await this.#setStopped(caller, row, true)
    }
    return this.list()
  }

  /** Lets agents use the network again, with the key that lies in the city or a new one. */
  async start(caller: Caller, choice: NetworkAccountChoice): Promise<NetworkAccountList> {
    const network = this.#network()
    for (const row of this.#chosen(choice)) {
      if (!row.stopped && this.#keys.has(row.agent)) continue
      await network.setKey(row.account, await this.#keys.publicKeyOf(row.agent))
      if (row.stopped) await this.#setStopped(caller, row, false)
    }
    return this.list()
  }

  async #setStopped(caller: Caller, row: NetworkAccountRow, stopped: boolean): Promise<void> {
    const { store, log } = this.context
    await store.write((tx) => {
      tx.orm.update(networkAccounts).set({ stopped }).where(eq(networkAccounts.agent, row.agent)).run()
      const event = stopped ? NetworkAccountStopped : NetworkAccountStarted
      log.append(tx, event, { subject: row.agent }, payloadOf(row))
    }, actorOf(caller))
  }

  #find(agent: string): NetworkAccountRow | undefined {
    return this.#account().get({ agent })
  }

  #need(agent: string): NetworkAccountRow {
    const row = this.#find(agent)
    if (row) return row
    throw new AppError(
      'agent-not-found',
      `${agent} has no account on the social network; \`gc social city-agents add ${agent}\` makes one`,
    )
  }

  #chosen({ agent }: NetworkAccountChoice): NetworkAccountRow[] {
    return agent === undefined ? this.rows() : [this.#need(agent)]
  }

  #network(): AgentNetwork {
    const network = this.options.network?.()
    if (network) return network
    throw new AppError('service-unavailable', 'this supervisor serves no social network; start `gc serve` with one')
  }

  #show(row: NetworkAccountRow): NetworkAccount {
    const { agent, name, account: account_id, stopped, createdAt } = row
    return { agent, name, account_id, stopped, has_key: this.#keys.has(agent), created_at: toTimestamp(createdAt) }
  }
}

/** `town-builder`, in the letters that names of the network have. */
const defaultName = (city: string, { name }: AgentConfig): string =>
  `${city}-${name}`.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, MAX_NAME)

const payloadOf = ({ agent, name, account }: Pick<NetworkAccountRow, 'agent' | 'name' | 'account'>) => ({
  ...{ agent, name },
  account_id: account,
})

const hasAccount = ({ agent, name }: NetworkAccountRow): AppError =>
  new AppError('conflict-wrong-state', `${agent} has an account on the social network already: ${name}`)

/** The private keys with which the agents of a city sign their requests: a file each, which only its owner can read. */
class KeyFiles {
  constructor(
    /** The city's folder. */
    private readonly city: string,
  ) {}

  /** Path of an agent's key. */
  pathOf(agent: string): string {
    return join(this.city, '.gc', 'social', `${encodeURIComponent(agent)}.pem`)
  }

  has(agent: string): boolean {
    return existsSync(this.pathOf(agent))
  }

  /** The public part of an agent's key: `x` of the JWK. The key is made if there is none. */
  async publicKeyOf(agent: string): Promise<string> {
    const path = this.pathOf(agent)
    requireNoLinks(this.city, join('.gc', 'social', `${encodeURIComponent(agent)}.pem`))
    if (!existsSync(path)) {
      createFolder(join(this.city, '.gc', 'social'))
      const { privateKey } = generateKeyPairSync('ed25519')
      await writePrivateFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    }
    return readPublicKey(path)
  }
}

function readPublicKey(path: string): string {
  try {
    const { x } = createPublicKey(createPrivateKey(readFileSync(path, 'utf8'))).export({ format: 'jwk' })
    if (x) return x
  } catch {}
  throw new AppError('conflict-wrong-state', `${path} is not a private Ed25519 key; remove it to get another`)
}
