import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { confirm, type Io, printJson, printLine } from '../io/io.ts'
import { hasPerson } from '../setup/talk.ts'
import { isRepository } from './choose-landing.ts'

/** Has a person decide whether programs trust a repository and its worktrees; scripts and sessions are not asked. */
export async function asksForTrust(io: Io, rig: string, folder: string | undefined): Promise<boolean> {
  if (!isRepository(folder) || !hasPerson(io)) return false
  const name = sanitizeLine(rig)
  io.err(`Once you trust ${name}, programs read what it configures for them, such as hooks and MCP servers.\n`)
  return confirm(io, 'Trust it? Programs ask in each session otherwise.')
}

export async function trust(
  context: CommandContext,
  name: string,
  { revoke, json }: JsonOption & { revoke?: true },
): Promise<void> {
  const city = await context.city()
  const params = { name }
  const response = await (revoke
    ? city.call('DELETE ~/rig/{name}/trust', { params })
    : city.call('POST ~/rig/{name}/trust', { params }))
  if (json) return printJson(context.io, response)
  printLine(context.io, `Programs ${revoke ? 'ask about' : 'trust'} rig ${sanitizeLine(name)}.`)
}
