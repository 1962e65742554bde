import type { Output } from './operations.ts'

type Denials = Output<'GET ~/session/{id}/denials'>

const IN_WORDS: Readonly<Record<string, string>> = {
  default: 'to its folder and ports of this machine (default)',
  network: 'to its folder, with every network (network)',
  off: 'no: it may do what you may',
}

/** How a session is confined, in words: as its running program was started, if one runs, and as the next will be. */
export function formatConfined({ confine, confined: now = confine, total, session_id: id }: Denials): string {
  const refused = total === 0 ? '' : `; refused ${total} times: gc session denials ${id}`
  const later = now === confine ? '' : `; from its next start: ${IN_WORDS[confine] ?? confine}`
  return `${IN_WORDS[now] ?? now}${later}${refused}`
}
