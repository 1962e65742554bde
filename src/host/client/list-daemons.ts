import { AppError } from '../../core/errors.ts'
import type { HostResponse } from '../protocol/index.ts'
import type { HostLink } from './host-link.ts'

const ANSWER_MS = 10_000

/** Daemons that left the sessions of a host; hosts of earlier builds cannot report them. */
export async function listDaemonsOf(link: HostLink): Promise<HostResponse<'listDaemons'>['sessions']> {
  try {
    return (await link.request('listDaemons', {}, { ms: ANSWER_MS })).ok.sessions
  } catch (error) {
    if (error instanceof AppError && error.code === 'not-implemented') return []
    throw error
  }
}
