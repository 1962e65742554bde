import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, errorMessage } from '../../core/errors.ts'
import { writePrivateFile } from '../../core/private-file.ts'
import { addBlock, removeBlock } from '../toml/edit.ts'
import type { Account } from './account.ts'
import { parseAccounts } from './parse-accounts.ts'
import { readPrivateFile } from './private-file.ts'

/** What a new account is made of. */
export type AccountDraft = Pick<Account, 'name' | 'provider'> &
  Partial<Pick<Account, 'home' | 'envFile' | 'standsInFor'>>

/** The accounts, or why none can be used. */
export interface LoadedAccounts {
  readonly accounts: readonly Account[]
  readonly problem: string | undefined
}

const MAX_ATTEMPTS = 5
const NONE: LoadedAccounts = { accounts: [], problem: undefined }

/** `$GC_HOME/accounts.toml`. It is read again whenever it changes. */
export class AccountsFile {
  readonly path: string
  #version = ''
  #loaded = NONE
  readonly #listeners = new Set<() => void>()

  constructor(
    home: string,
    private readonly userHome: string,
  ) {
    this.path = join(home, 'accounts.toml')
  }

  get current(): LoadedAccounts {
    const stats = statSync(this.path, { throwIfNoEntry: false })
    const version = stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.mode}` : ''
    if (version === this.#version) return this.#loaded
    this.#loaded = stats ? this.#load() : NONE
    this.#version = version
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener()
    })
    return this.#loaded
  }

  /** Calls the listener when the file was found changed. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Adds an account; throws when the file would not be valid with it. */
  add(draft: AccountDraft): Promise<Account> {
    const { name, provider, home, envFile, standsInFor = [] } = draft
    return this.#edit((text) =>
      addBlock(text, '[[account]]', [
        ['name', name],
        ['provider', provider],
        ['home', home],
        ['env_file', envFile],
        ['stands_in_for', standsInFor.length > 0 ? standsInFor : undefined],
      ]),
    ).then(() => this.find(name))
  }

  /** Removes an account; what belongs to it stays where it is. */
  remove(name: string): Promise<void> {
    return this.#edit((text) => {
      const { offset } = this.find(name)
      const rest = removeBlock(text, offset)
      if (rest !== undefined) return rest
      throw new AppError(
        'conflict-wrong-state',
        `${this.path} does not write ${name} as an [[account]]; change it there`,
      )
    })
  }

  find(name: string): Account {
    const { accounts, problem } = this.current
    if (problem !== undefined) throw new AppError('conflict-wrong-state', problem)
    const account = accounts.find((one) => one.name === name)
    if (account) return account
    throw new AppError('account-not-found', `there is no account ${name}; \`gc account list\` shows those there are`)
  }

  #load(): LoadedAccounts {
    try {
      return { accounts: this.#parse(readPrivateFile(this.path)), problem: undefined }
    } catch (error) {
      return { accounts: [], problem: errorMessage(error) }
    }
  }

  #parse(text: string): Account[] {
    return parseAccounts(text, this.path, this.userHome)
  }

  /** Changes the file as a whole; again, when somebody else changed it meanwhile. */
  async #edit(change: (text: string) => string): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { problem } = this.current
      if (problem !== undefined) throw new AppError('conflict-wrong-state', problem)
      const before = existsSync(this.path) ? readPrivateFile(this.path) : ''
      const text = change(before)
      this.#requireValid(text)
      if (await writePrivateFile(this.path, text, () => textOf(this.path) === before)) return
    }
    throw new AppError('conflict-concurrent-modify', `${this.path} is being changed by others; try again`)
  }

  #requireValid(text: string): void {
    try {
      this.#parse(text)
    } catch (error) {
      throw new AppError('invalid-request', errorMessage(error).replace(/^.*?:\d+: /, ''))
    }
  }
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')
