import { runtimes } from './runtimes.ts'

/** A name that states the window itself goes before those of all programs. */
const CONTEXT_WINDOWS = [
  [/\[1m\]/i, 1_000_000] as const,
  ...runtimes().flatMap(({ contextWindows = [] }) => contextWindows),
]

/** The context window of a model in tokens; undefined when it is not known. */
export const contextWindowOf = (model: string): number | undefined =>
  CONTEXT_WINDOWS.find(([name]) => name.test(model))?.[1]

/** The used part of a context window in percent. */
export const percentUsed = (used: number, window: number): number => Math.min(100, Math.floor((used * 100) / window))
