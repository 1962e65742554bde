import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { closestName } from '../names/suggest.ts'

/** The recipient of an argument, else the session itself, else `human`. */
export const defaultRecipient = (context: CommandContext, recipient: string | undefined): string => {
  const { GC_SESSION_ID, GC_ALIAS, GC_AGENT } = context.io.env
  return recipient || GC_SESSION_ID || GC_ALIAS || GC_AGENT || 'human'
}

/** A suggestion for an unknown recipient whose name is close to a known one; empty without one. */
export async function suggestRecipient(context: CommandContext, recipient: string): Promise<string> {
  const near = recipient === 'human' ? undefined : await closestName(context, recipient, 'who')
  return near === undefined ? '' : `; did you mean ${sanitizeLine(near)}?`
}

/** The JSON output that prompts parse. */
export const mailEnvelope = (verb: string, more: object) => ({
  schema_version: '1',
  ok: true,
  command: `mail.${verb}`,
  ...more,
})
