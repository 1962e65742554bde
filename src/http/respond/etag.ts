import type { ResponseContent } from './response-writer.ts'

/** The tag of a response (RFC 9110, 8.8.3): weak, since it identifies the content, not the encoding. */
export const etagOf = (content: ResponseContent): string =>
  `W/"${(typeof content === 'string' ? Bun.hash(content) : content.hash()).toString(36)}"`

/** True if a reader has the response with this tag already, as its `If-None-Match` says. */
export function hasTag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || weak(tag.trim()) === weak(etag))
}

/** Tags are compared without their weakness (RFC 9110, 13.1.2). */
const weak = (tag: string): string => tag.replace(/^W\//, '')

/** Tags a response that readers may keep; whether this one has it already, and needs no body. */
export function tagResponse(
  request: Request,
  headers: Record<string, string | number>,
  content: ResponseContent,
  cacheControl = 'private, no-cache',
): boolean {
  const etag = etagOf(content)
  headers.etag = etag
  headers['cache-control'] = cacheControl
  return hasTag(request.headers.get('if-none-match'), etag)
}
