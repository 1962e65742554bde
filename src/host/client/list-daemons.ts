import { AppError } from '../../core/errors.ts'
import type { HostResponse } from '../protocol/index.ts'
import type { HostLink } from './host-link.ts'

const ANSWER_MS = 10_000

/** What left the sessions of a host for sessions of their own; a host of an earlier build cannot tell. */
export async function listDaemonsOf(link: HostLink): Promise<HostResponse<'listDaemons'>['sessions']> {
  try {
    return (await link.request('listDaemons', {}, { ms: ANSWER_MS })).ok.sessions
  } catch (error) {
    if (error instanceof AppError && error.code === 'not-implemented') return []
    throw error
  }
}
