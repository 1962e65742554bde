import type { Output } from './operations.ts'

type Denials = Output<'GET ~/session/{id}/denials'>

const IN_WORDS: Readonly<Record<string, string>> = {
  default: 'to its folder and ports of this machine (default)',
  network: 'to its folder, with every network (network)',
  off: 'no: it may do what you may',
}

/** How a session is confined, in words. */
export function formatConfined({ confine, total, session_id: id }: Denials): string {
  const refused = total === 0 ? '' : `; refused ${total} times: gc session denials ${id}`
  return `${IN_WORDS[confine] ?? confine}${refused}`
}
