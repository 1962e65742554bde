import type { Output } from './operations.ts'

type Denials = Output<'GET ~/session/{id}/denials'>

const IN_WORDS: Readonly<Record<string, string>> = {
  default: 'to its folder and ports of this machine (default)',
  network: 'to its folder, with every network (network)',
  off: 'no: it runs with your permissions',
}

/** Sandbox of a session in words: of its running program and of the next start. */
export function formatConfined(denials: Denials): string {
  const { confine, confined: now = confine, inherited, total, session_id: id } = denials
  const refused = total === 0 ? '' : `; refused ${total} times: gc session denials ${id}`
  const later = now === confine ? '' : `; from its next start: ${IN_WORDS[confine] ?? confine}`
  const shared = inherited ? '; inherited: ports, modes and priorities are those of the session that gc runs in' : ''
  return `${IN_WORDS[now] ?? now}${shared}${later}${refused}`
}
