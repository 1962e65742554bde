import { type GitRunner, gitErrorMessage } from '../../config/git/index.ts'
import { AppError } from '../../core/errors.ts'
import { shellQuote } from '../../core/text/index.ts'

/** What the user's own configuration has on reaching remotes, and on signing. Nothing else of it is used. */
const REACHING = '^(credential|http|url|ssh)\\.|^core\\.(sshcommand|askpass|gitproxy)$'
const SIGNING = '^(gpg\\.|user\\.signingkey$)'
/** Scopes of configuration that belong to a repository, where agents may have written it. */
const OF_REPOSITORIES = ['local', 'worktree']
/** A command that starts OpenSSH itself, and no wrapper. */
const STARTS_SSH = /^\s*(?:\w+=\S*\s+)*(["']?)(?:[^\s"']*\/)?ssh(?:\.exe)?\1(?:\s|$)/
const TIMEOUT_MS = 10_000
/** The time for which settings that were read are used, so that one landing reads them once. */
const FRESH_MS = 10_000

export type Settings = readonly (readonly [string, string])[]

/** The settings and variables with which git reaches remotes as it does for the user. */
export interface Reach {
  readonly settings: Settings
  readonly env: Readonly<Record<string, string>>
}

/**
 * The user's own git in the folder of a rig: how it reaches remotes, and how it signs. Conditional includes hold for that
 * folder; what its repository configures is left out, since agents may have written it.
 */
export class UserGit {
  #reach: { readonly at: number; readonly is: Promise<Reach> } | undefined

  constructor(
    private readonly git: GitRunner,
    private readonly folder: string,
  ) {}

  /** Credential helpers, proxies, rewritten addresses, and programs for SSH and for passwords. None of them asks a person. */
  reach(): Promise<Reach> {
    const now = performance.now()
    if (this.#reach === undefined || now - this.#reach.at >= FRESH_MS) this.#reach = { at: now, is: this.#readReach() }
    return this.#reach.is
  }

  async #readReach(): Promise<Reach> {
    const settings = await this.#read(REACHING)
    const { remotes } = this.git.user
    const { GIT_SSH, GIT_SSH_COMMAND, GIT_SSH_VARIANT, GIT_ASKPASS } = remotes
    const last = (key: string) => settings.findLast(([name]) => name === key)?.[1]
    const command = GIT_SSH_COMMAND || last('core.sshcommand') || (GIT_SSH ? shellQuote(GIT_SSH) : undefined)
    const variant = GIT_SSH_VARIANT ?? last('ssh.variant') ?? 'auto'
    const askpass = GIT_ASKPASS || last('core.askpass')
    return {
      settings,
      env: {
        ...remotes,
        ...(command && { GIT_SSH_COMMAND: withoutQuestions(command, variant) }),
        ...(askpass && { GIT_ASKPASS: askpass }),
      },
    }
  }

  signing(): Promise<Settings> {
    return this.#read(SIGNING)
  }

  async #read(pattern: string): Promise<Settings> {
    const args = ['config', '--null', '--show-scope', '--includes', '--get-regexp', pattern]
    const options = { timeout: TIMEOUT_MS, cwd: this.folder, env: this.git.user.configuration }
    const result = await this.git.run(args, options)
    if (result.exitCode > 1 || result.exceeded) {
      const why = gitErrorMessage(result)
      throw new AppError('service-unavailable', `the settings of git for ${this.folder} cannot be read: ${why}`)
    }
    const fields = result.stdout.split('\0')
    const settings: (readonly [string, string])[] = []
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [scope = '', entry = ''] = [fields[at], fields[at + 1]]
      if (OF_REPOSITORIES.includes(scope)) continue
      const end = entry.indexOf('\n')
      // A key without a value is true.
      settings.push(end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)])
    }
    return settings
  }
}

/** Wrappers may not know the options of OpenSSH. There is no terminal on which they could ask. */
const withoutQuestions = (command: string, variant: string): string =>
  STARTS_SSH.test(command) && ['auto', 'ssh'].includes(variant)
    ? `${command} -o BatchMode=yes -o ServerAliveInterval=30`
    : command
