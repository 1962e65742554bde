import type { MembershipRow } from './table.ts'

/** Which messages a nudge shows, to whom. */
export type Nudged = Pick<MembershipRow, 'conversation' | 'sessionId' | 'nudgedFrom' | 'nudgedTo'>

/** Names a nudge. One that its session is to answer is tried again once. */
export const nudgeName = ({ conversation, sessionId, nudgedFrom, nudgedTo }: Nudged, isAddressed: boolean): string =>
  `extmsg-${isAddressed ? 'answer' : 'follow'}-${conversation}-${nudgedFrom}-${nudgedTo}-${sessionId}`

const AGAIN = 'again-'

/** Names the second try of a nudge. */
export const secondTryOf = (name: string): string => `${AGAIN}${name}`

/** What a nudge shows, and whether it may be tried once more; undefined for the name of anything else. */
export function parseNudgeName(name: string): (Nudged & { isLast: boolean }) | undefined {
  const [, again, conversation, from, to, sessionId] =
    /^(again-)?extmsg-answer-(\d+)-(\d+)-(\d+)-(.+)$/.exec(name) ?? []
  if (sessionId === undefined) return undefined
  const isLast = again !== undefined
  return { conversation: Number(conversation), nudgedFrom: Number(from), nudgedTo: Number(to), sessionId, isLast }
}
