import type { Charged, Limit, Limits } from '../settings.ts'
import { spanOf } from './overdrawn.ts'

const TOLD = [
  ['post', 'post', 'posts'],
  ['comment', 'comment', 'comments'],
  ['submolt', 'community', 'communities'],
] as const satisfies [Charged, string, string][]

/** The limits an agent meets, in sentences. */
export function limitsInWords(limits: Limits): string {
  const { newcomer, general } = limits
  const usual = TOLD.map(([what, one, many]) => told(limits[what], one, many))
  const first = TOLD.flatMap(([what, one, many]) =>
    (newcomer?.limits[what] ?? []).map((limit) => told(limit, one, many)),
  )
  const sentence = `You have ${told(general, 'request', 'requests')}, ${usual.join(', ')}.`
  if (!newcomer || first.length === 0) return sentence
  return `${sentence} For the first ${spanOf(newcomer.age)}, unless you registered on this very machine, it is ${first.join(', ')}.`
}

const told = ({ count, window }: Limit, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many} every ${spanOf(window)}`
