import type { AskedSubject, Dialog, QuestionKind } from '../terminal-profile.ts'

export const dialog = (kind: QuestionKind, seen: RegExp, asks: string): Dialog => ({ kind, seen, asks })

/** The rows of a text above its first blank row, and those below it. */
export function splitRows(text: string): { head: string[]; body: string[] } {
  const rows = text.split('\n')
  const at = rows.indexOf('')
  return at < 0 ? { head: rows, body: [] } : { head: rows.slice(0, at), body: rows.slice(at + 1) }
}

/** A command in the rows of a text: none where there is nothing but blanks. */
export function commandIn(rows: readonly string[]): AskedSubject | undefined {
  const line = rows.join('\n').trim()
  return line === '' ? undefined : { kind: 'command', line }
}

/** The hosts of addresses; none where one is not an address of the web. */
export function fetchOf(addresses: readonly string[]): AskedSubject | undefined {
  const hosts = addresses.flatMap((address) => (/^https?:\/\/\S+$/.test(address) && URL.parse(address)?.host) || [])
  return hosts.length > 0 && hosts.length === addresses.length ? { kind: 'fetch', hosts } : undefined
}
