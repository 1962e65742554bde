import type { InnerList } from 'structured-headers'
import type { SignedRequest } from './components.ts'
import { invalidSignature } from './errors.ts'

/** Throws unless a signature covers all by which a request acts: its method, where it goes, and its body. */
export function checkCoverage([components]: InnerList, { url, headers }: SignedRequest): void {
  const names = new Set(components.map(([name]) => name))
  if (!names.has('@method')) throw invalidSignature('it must cover @method')
  const coversQuery = url.search === '' || names.has('@query')
  const coversPath = names.has('@request-target') || (names.has('@path') && coversQuery)
  if (!names.has('@target-uri') && !(names.has('@authority') && coversPath))
    throw invalidSignature('it must cover @target-uri, or @authority with @path and @query')
  if (hasBody(headers) && !names.has('content-digest'))
    throw invalidSignature('it must cover content-digest, since there is a body')
}

/** Whether a request announces a body; without either header there is none (RFC 9112 §6.3). */
const hasBody = (headers: Headers): boolean =>
  headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0
