import type { CommandContext } from '../context/context.ts'

/** The recipient of an argument, else the session itself, else `human`. */
export const defaultRecipient = (context: CommandContext, recipient: string | undefined): string => {
  const { GC_SESSION_ID, GC_ALIAS, GC_AGENT } = context.io.env
  return recipient || GC_SESSION_ID || GC_ALIAS || GC_AGENT || 'human'
}

/** The JSON output that prompts parse. */
export const mailEnvelope = (verb: string, more: object) => ({
  schema_version: '1',
  ok: true,
  command: `mail.${verb}`,
  ...more,
})
