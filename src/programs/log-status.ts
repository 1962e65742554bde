import { contextWindowOf, percentUsed } from './context-windows.ts'
import type { LogSnapshot } from './logs/log-reader.ts'

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
