import type { OptionRole } from '../protocol/question.ts'

/** What an option does, by its words; the first match counts. */
const PATTERNS: readonly [RegExp, OptionRole][] = [
  [/^(?:no|deny|reject|cancel|exit|skip|back|quit|stop|decline|dismiss|don.t|continue without)\b/i, 'deny'],
  [
    /don.t ask again|\balways\b|for this session|all (?:future )?(?:edits|sessions|mcp servers)|switch to (?:accept|auto)/i,
    'allow-always',
  ],
  [/^(?:yes|allow|approve|accept|trust|continue|proceed|run|use this)\b/i, 'allow-once'],
]

/** What an option with this label does. */
export const roleOf = (label: string): OptionRole => PATTERNS.find(([pattern]) => pattern.test(label))?.[1] ?? 'other'
