import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import type { CredentialScope } from '../../src/config/offline/index.ts'
import { cityFolder } from '../context/city-folder.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { printLine } from '../io/io.ts'
import { printResult } from '../pack/open.ts'

interface ScopeOptions extends JsonOption {
  global?: true
}

interface AddOptions extends ScopeOptions {
  helper?: string
  tokenFile?: string
  tokenEnv?: string
  sshKeyFile?: string
  username?: string
}

/** `gc import credential`: where the secrets for private repositories are; never the secrets themselves. */
export function credentialCommands(parent: Command, context: CommandContext): void {
  const group = parent.command('credential').description('manage credentials for private packs')
  withJson(group.command('add').description('add a credential for a host or path'))
    .argument('<match>', 'host or path, such as github.com or github.com/owner')
    .option('--helper <command>', 'command that prints the secret, such as "gh auth token"')
    .option('--token-file <file>', 'file with the secret, readable only by you')
    .option('--token-env <name>', 'environment variable with the secret')
    .option('--ssh-key-file <file>', 'private key for SSH addresses')
    .option('--username <name>', 'user name to send with it')
    .option('--global', 'apply to all cities on this machine')
    .action((match: string, options: AddOptions, command: Command) => add(context, match, options, command))
  withJson(group.command('list').description('list credentials'))
    .option('--global', 'list those of all cities on this machine')
    .action((options: ScopeOptions, command: Command) => list(context, options, command))
  withJson(group.command('remove').description('remove a credential'))
    .argument('<match>')
    .option('--global', 'remove the one of all cities on this machine')
    .action((match: string, options: ScopeOptions, command: Command) => remove(context, match, options, command))
}

async function scopeOf(context: CommandContext, { global }: ScopeOptions, command: Command): Promise<CredentialScope> {
  const { env } = context.io
  if (env.GC_TOKEN) throw failure('credentials are for a person to give, not for a program that gc started')
  const city = global ? undefined : await cityFolder(context, command.optsWithGlobals<{ city?: string }>().city)
  return { city, home: resolveHome(env) }
}

async function add(context: CommandContext, match: string, options: AddOptions, command: Command): Promise<void> {
  const { addCredential } = await import('../../src/config/offline/credentials.ts')
  const { secretPath } = await import('../../src/config/packs/credentials.ts')
  const scope = await scopeOf(context, options, command)
  const { helper, tokenFile, tokenEnv, sshKeyFile, username } = options
  const { cwd, env } = context.io
  const pathOf = (file: string) => secretPath(file, cwd, env.HOME)
  const added = await addCredential(scope, {
    ...{ match, ...(username && { username }) },
    pointers: {
      ...(helper && { helper }),
      ...(tokenFile && { token_file: pathOf(tokenFile) }),
      ...(tokenEnv && { token_env: tokenEnv }),
      ...(sshKeyFile && { ssh_key_file: pathOf(sshKeyFile) }),
    },
  })
  if (options.json) return printResult(context, { command: 'import credential add', match: added })
  printLine(context.io, `Added credential for ${added}`)
}

async function list(context: CommandContext, options: ScopeOptions, command: Command): Promise<void> {
  const { listCredentials } = await import('../../src/config/offline/credentials.ts')
  const rules = listCredentials(await scopeOf(context, options, command))
  const credentials = rules.map(({ match, username, pointer }) => ({
    ...{ match, ...(username && { username }) },
    [pointer.kind]: pointer.value,
  }))
  if (options.json) return printResult(context, withItems({ credentials }, credentials))
  if (rules.length === 0) printLine(context.io, 'No credentials are registered.')
  for (const { match, pointer } of rules) printLine(context.io, `${match}\t${pointer.kind}\t${pointer.value}`)
}

async function remove(context: CommandContext, match: string, options: ScopeOptions, command: Command): Promise<void> {
  const { removeCredential } = await import('../../src/config/offline/credentials.ts')
  const removed = await removeCredential(await scopeOf(context, options, command), match)
  if (options.json) return printResult(context, { command: 'import credential remove', match: removed })
  printLine(context.io, `Removed credential for ${removed}`)
}
