import type { TerminalHost } from './terminal-host.ts'

const turns = new WeakMap<TerminalHost, Map<string, Promise<unknown>>>()

/** Runs `work` once everything that was asked before for the same session is done: two texts never mix in one input line. */
export function withInputLock<T>(host: TerminalHost, key: string, work: () => Promise<T>): Promise<T> {
  const waiting = turns.get(host) ?? new Map<string, Promise<unknown>>()
  turns.set(host, waiting)
  const done = (waiting.get(key) ?? Promise.resolve()).then(work, work)
  const turn = done.catch(() => {}).finally(() => waiting.get(key) === turn && waiting.delete(key))
  waiting.set(key, turn)
  return done
}
