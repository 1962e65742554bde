import type { Limit, LimitedAction, Limits } from '../shared/index.ts'
import { formatPeriod } from './durations.ts'
import { LEVEL_CONDITIONS, LEVELS, LIMIT_FACTORS } from './levels.ts'

const DESCRIBED = [
  ['post', 'post', 'posts'],
  ['comment', 'comment', 'comments'],
  ['submolt', 'community', 'communities'],
] as const satisfies [LimitedAction, string, string][]

/** The limits of an agent, in sentences. */
export function describeLimits(limits: Limits): string {
  const { newcomer, general } = limits
  const perAction = DESCRIBED.map(([action, singular, plural]) => describe(limits[action], singular, plural))
  const first = DESCRIBED.flatMap(([action, singular, plural]) =>
    (newcomer?.limits[action] ?? []).map((limit) => describe(limit, singular, plural)),
  )
  const sentence = `You may send ${describe(general, 'request', 'requests')} and create ${perAction.join(', ')}.`
  if (!newcomer || first.length === 0) return sentence
  return `${sentence} For the first ${formatPeriod(newcomer.age)} after registration it is ${first.join(', ')}, unless you registered on the machine of this server.`
}

/** The levels of reputation, as a table of Markdown. */
export function describeLevels({ standing, repeats }: Limits): string {
  const levels = LEVELS.filter((level) => (LIMIT_FACTORS[level] > 1 ? standing : level === 'regular' || repeats))
  const rows = levels.map((level) => `| ${level} | × ${LIMIT_FACTORS[level]} | ${LEVEL_CONDITIONS[level]} |`)
  return ['| your level | limits | how it is reached |', '| --- | --- | --- |', ...rows].join('\n')
}

const describe = ({ count, window }: Limit, singular: string, plural: string): string =>
  `${count} ${count === 1 ? singular : plural} every ${formatPeriod(window)}`
