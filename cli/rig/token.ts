import { resolveHome } from '../../src/client/home.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { readSecret } from '../io/secret.ts'

export async function addToken(context: CommandContext, host: string, options: JsonOption): Promise<void> {
  const { io } = context
  const tokens = await openTokens(context)
  const token = await readSecret(io, `Token for ${host}: `)
  if (token === '') throw usageError('give the token on standard input: `gc rig token add --host <host> < file`')
  const added = await tokens.set(host, token)
  if (options.json) return printJson(io, { host: added })
  printLine(io, `The token for ${added} is kept in ${tokens.path}, which only you can read.`)
}

export async function listTokens(context: CommandContext, options: JsonOption): Promise<void> {
  const { hosts } = await openTokens(context)
  if (options.json) return printJson(context.io, { items: hosts.map((host) => ({ host })), total: hosts.length })
  if (hosts.length === 0) printLine(context.io, 'No token is kept; add one with `gc rig token add --host <host>`.')
  for (const host of hosts) printLine(context.io, host)
}

export async function removeToken(context: CommandContext, host: string, options: JsonOption): Promise<void> {
  const removed = await (await openTokens(context)).remove(host)
  if (options.json) return printJson(context.io, { host: removed })
  printLine(context.io, `The token for ${removed} was removed; revoke it at the forge as well.`)
}

async function openTokens({ io }: CommandContext) {
  if (io.env.GC_TOKEN) throw failure('tokens are for a person to give, not for a program that gc started')
  const { ForgeTokens } = await import('../../src/config/accounts/forge-tokens.ts')
  return new ForgeTokens(resolveHome(io.env))
}
