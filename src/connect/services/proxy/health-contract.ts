/** What gc itself answers for a service with the contract `gc.healthz.v1`. */
export function answerHealth(
  request: Request,
  path: string,
  city: string,
  service: string,
  contract: string,
): Response {
  const [pathname] = path.split('?')
  if (pathname !== '/' && pathname !== '/healthz') {
    return new Response('there is nothing at this address: GET / or /healthz\n', { status: 404 })
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return new Response('this address takes GET\n', { status: 405, headers: { allow: 'GET, HEAD' } })
  }
  const body = JSON.stringify({ ok: true, city_name: city, service, contract })
  return new Response(request.method === 'HEAD' ? null : body, { headers: { 'content-type': 'application/json' } })
}
