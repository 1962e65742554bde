import type { Here } from '../context/context.ts'

/** Whose mail is meant when nobody is named: a session's own, else a person's. */
export const recipientOf = (here: Here, told: string | undefined): string => {
  const { GC_SESSION_ID, GC_ALIAS, GC_AGENT } = here.io.env
  return told || GC_SESSION_ID || GC_ALIAS || GC_AGENT || 'human'
}

/** The line of JSON that prompts parse. */
export const envelope = (verb: string, more: object) => ({
  schema_version: '1',
  ok: true,
  command: `mail.${verb}`,
  ...more,
})
