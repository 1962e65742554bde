/** How soon it is worth trying again, in seconds. */
const RETRY_AFTER_S = 2

/** A sentence for whoever asked, of whatever kind the program is. */
export const plain = (status: 502 | 503 | 504, sentence: string): Response =>
  new Response(`${sentence}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': String(RETRY_AFTER_S) },
  })
