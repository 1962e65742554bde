import { addVary, compressFor } from './encoding.ts'
import { etagOf, hasTag } from './etag.ts'
import type { ResponseWriter } from './response-writer.ts'

/** Pictures are small and compressed. */
const isPicture = (headers: Headers): boolean => headers.get('content-type') === 'image/webp'

/** Responses for one reader are neither stored nor compressed together with text of others. */
const isKept = ({ status, headers }: Response): boolean =>
  status === 200 && !/no-store|^$/.test(headers.get('cache-control') ?? '') && !headers.has('content-encoding')

/** The same response, its text tagged, compressed where its reader takes that, and written within the memory for large ones. */
export async function boundResponse(
  response: Response,
  request: Request,
  writer: ResponseWriter,
  disconnect: () => void,
): Promise<Response> {
  if (!response.body || isPicture(response.headers) || response.headers.has('etag')) return response
  const { status, headers } = response
  if (!isKept(response)) return request.method === 'HEAD' ? response : bound(response, request, writer, disconnect)
  const text = await response.text()
  const etag = etagOf(text)
  headers.set('etag', etag)
  const more: Record<string, string> = {}
  if (hasTag(request.headers.get('if-none-match'), etag)) {
    addVary(more, 'Accept-Encoding')
    headers.set('vary', more.vary ?? '')
    return new Response(null, { status: 304, headers })
  }
  const bytes = compressFor(request, more, text)
  for (const [name, value] of Object.entries(more)) headers.set(name, value)
  if (bytes) return new Response(bytes, { status, headers })
  return bound(new Response(text, { status, headers }), request, writer, disconnect)
}

async function bound(
  response: Response,
  request: Request,
  writer: ResponseWriter,
  disconnect: () => void,
): Promise<Response> {
  const { status, headers } = response
  const text = await response.text()
  const content = writer.tryContent(text) ?? writer.content(text, await writer.budget.reserve(text.length, request))
  return new Response(typeof content === 'string' ? content : writer.send(content, disconnect), { status, headers })
}
