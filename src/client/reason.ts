const CLOSED = 'the connection was closed'
const UNREADABLE = 'what it answers cannot be read'

/** True if a request for which there is no answer for this reason may have arrived. */
export const mayHaveArrived = (reason: string): boolean => reason === CLOSED || reason === UNREADABLE

/** Reasons for a missing response, by fetch's error code. */
const REASONS: Readonly<Record<string, string>> = {
  ConnectionRefused: 'connection refused',
  ECONNREFUSED: 'connection refused',
  ConnectionClosed: CLOSED,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  FailedToOpenSocket: 'its name or address cannot be reached',
  ENETUNREACH: 'its name or address cannot be reached',
  EHOSTUNREACH: 'its name or address cannot be reached',
  ERR_INVALID_URL: 'it is not an address such as http://127.0.0.1:8372',
  ENOTFOUND: 'its name is not known',
  DNSResolutionFailed: 'its name is not known',
  Timeout: 'it took too long',
  ConnectionTimeout: 'it took too long',
  ETIMEDOUT: 'it took too long',
  EPROTO: 'it does not speak TLS; try http://',
  TooManyRedirects: 'too many redirects',
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/

/** Reason a request had no answer, in words, whatever fetch threw. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return UNREADABLE
  return REASONS[error.code] ?? (CERTIFICATE.test(error.code) ? 'its certificate is not trusted here' : UNREADABLE)
}
