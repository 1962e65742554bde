import { chmodSync, writeFileSync } from 'node:fs'
import { sessionRoutes } from '../../../src/agents/sessions/routes.ts'
import type { City } from '../../../src/city/city.ts'
import { AppError } from '../../../src/core/errors.ts'
import { hashToken } from '../../../src/core/text/credentials.ts'
import type { CityOf } from '../../../src/http/city-of.ts'
import { accessPolicy } from '../../../src/supervisor/access.ts'
import { serve } from '../../http/serve.ts'
import { CityWorld } from './world.ts'

const BASE = '/v0/city/mill'

/** The sessions of a city over HTTP; a bearer token is the token of a session. */
export async function openHttp(agents: string) {
  const world = await CityWorld.open(agents)
  const city: CityOf<City> = ({ params }) => {
    if (params.cityName === 'mill') return world.city
    throw new AppError('city-not-found', `not_found: city not found or not running: ${params.cityName}`)
  }
  const resolve = (token: string) => {
    const caller = world.city.credentials.caller(hashToken(token))
    return caller === 'ended' ? undefined : caller
  }
  const access = accessPolicy(() => world.city)
  const server = serve({ routes: sessionRoutes(city), guard: { resolve }, access, index: () => world.city.log.head })
  return {
    world,
    server,
    get: (path: string, headers: Record<string, string> = {}) => server.get(BASE + path, headers),
    post: (path: string, body?: unknown, token?: string) =>
      server.send('POST', BASE + path, body, token === undefined ? {} : { authorization: `Bearer ${token}` }),
    patch: (path: string, body: unknown) => server.send('PATCH', BASE + path, body),
    socket: `${server.url.replace('http', 'ws')}${BASE}`,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

/** The status and body of a response, which `serve` has already validated against the document. */
export async function answer(response: Promise<Response>): Promise<{ status: number; body: Record<string, unknown> }> {
  const { status, ...rest } = await response.then(async (it) => ({ status: it.status, body: await it.json() }))
  return { status, body: rest.body as Record<string, unknown> }
}

/** A program that reads lines at a prompt and echoes them, declared as the provider of an agent called parrot. */
export function parrot(path: string): string {
  writeFileSync(
    path,
    `#!/bin/sh
printf '\\033[2J\\033[H> '
while IFS= read -r line; do
  [ "$line" = quit ] && exit 0
  printf '\\033[2J\\033[Hheard %s\\n> ' "$line"
done
`,
  )
  chmodSync(path, 0o755)
  return `[providers.parrot]
command = "${path}"
prompt_mode = "none"
ready_prompt_prefix = "> "
[[agent]]
name = "parrot"
provider = "parrot"
`
}
