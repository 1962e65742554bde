import type { LogSnapshot } from './logs/index.ts'
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

/** The status of a session by its log. */
export interface LogStatus {
  readonly activity?: 'idle' | 'in-turn'
  readonly model?: string
  readonly contextPct?: number
  readonly contextWindow?: number
}

/** The status of a session by the newest entries of its log. */
export function statusOf({ entries }: LogSnapshot): LogStatus {
  const activity = entries.findLast(({ turn }) => turn !== undefined)?.turn
  const model = entries.findLast((entry) => entry.model !== undefined)?.model
  const filled = entries.findLast(({ contextUsed }) => contextUsed !== undefined)
  const window = filled?.contextWindow ?? (model === undefined ? undefined : contextWindowOf(model))
  const used = filled?.contextUsed
  return {
    ...(activity !== undefined && { activity }),
    ...(model !== undefined && { model }),
    ...(window !== undefined && { contextWindow: window }),
    ...(window !== undefined && used !== undefined && { contextPct: percentUsed(used, window) }),
  }
}
