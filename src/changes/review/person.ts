import type { Caller } from '../../http/caller.ts'

/** The name under which reviews of a person are recorded. */
export const personOf = ({ kind }: Caller): string => (kind === 'operator' ? 'operator' : 'human')
