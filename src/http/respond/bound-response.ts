import type { ResponseWriter } from './response-writer.ts'

/** Small pictures are sent as they are. */
const isPicture = (headers: Headers): boolean => headers.get('content-type') === 'image/webp'

/** The same response, its text written within the memory for large responses. */
export async function boundResponse(
  response: Response,
  request: Request,
  writer: ResponseWriter,
  disconnect: () => void,
): Promise<Response> {
  if (request.method === 'HEAD' || !response.body || isPicture(response.headers)) return response
  const { status, headers } = response
  const text = await response.text()
  const content = writer.tryContent(text) ?? writer.content(text, await writer.budget.reserve(text.length, request))
  return new Response(typeof content === 'string' ? content : writer.send(content, disconnect), { status, headers })
}
