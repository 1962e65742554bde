import { InvalidArgumentError } from 'commander'

/** The statuses that a bead is given in `bd`; gc itself sets the first three. */
export const GIVEN_STATUSES = ['open', 'in_progress', 'closed', 'blocked', 'deferred', 'pinned', 'hooked'] as const

/** Every status that a bead may have in `bd`. */
export const STATUSES = [...GIVEN_STATUSES, 'tombstone'] as const

const HELP = 'It can be: open, in_progress, closed, blocked, deferred, pinned or hooked.'

/** Parses a status; `in-progress` is another spelling of `in_progress`. */
export function parseStatus(text: string): string {
  const status = text.trim().toLowerCase().replaceAll('-', '_')
  if (STATUSES.some((each) => each === status)) return status
  throw new InvalidArgumentError(HELP)
}

/** Parses statuses that are separated by commas; `all` is every status. */
export function parseStatuses(text: string, before: readonly string[] = []): string[] {
  const names = text.split(',').map((each) => each.trim())
  return [...new Set([...before, ...names.map((name) => (name === 'all' ? name : parseStatus(name)))])]
}
