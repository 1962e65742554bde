import type { RequestHandler } from '../../http/app.ts'
import { hasHost, pathOf } from '../../http/authority.ts'
import { decodeSegment } from '../../http/paths.ts'
import { nothingHere, notYet, toResponse } from './answer.ts'
import type { Webhooks } from './webhooks.ts'

interface WebhookHandlerOptions {
  /** The webhooks of a running city. */
  webhooksOf(city: string): Pick<Webhooks, 'receive'> | undefined
  /** True if there is a city of that name that does not run now. */
  isClosed(city: string): boolean
  /** True if the server takes no changes. */
  isReadOnly: boolean
  /** True if other machines reach the address on purpose: nothing that comes there counts as loopback. */
  isPublic: boolean
}

const HOOK = /^\/v0\/city\/([^/]+)\/hook\/([^/]+)\/?$/

/** Takes the requests for webhooks, which prove by their own signatures who sends them, and leaves others to `next`. */
export const withWebhooks = (options: WebhookHandlerOptions, next: RequestHandler): RequestHandler => ({
  fetch(request, server) {
    if (!request.url.includes('/hook/')) return next.fetch(request, server)
    const [, city, name] = (hasHost(request) && HOOK.exec(pathOf(request.url))) || []
    if (city === undefined || name === undefined) return next.fetch(request, server)
    const peer = server.requestIP(request)?.address
    return receive(options, decodeSegment(city), decodeSegment(name), request, peer)
  },
  stop: () => next.stop(),
})

async function receive(
  { webhooksOf, isClosed, isPublic, isReadOnly }: WebhookHandlerOptions,
  city: string,
  name: string,
  request: Request,
  peer: string | undefined,
): Promise<Response> {
  const webhooks = webhooksOf(city)
  if (webhooks) return toResponse(await webhooks.receive(name, { request, peer, isPublic, isReadOnly }))
  return toResponse(isClosed(city) ? notYet() : nothingHere())
}
