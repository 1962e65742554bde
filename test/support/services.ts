import { resolve } from 'node:path'
import { eventually } from './until.ts'
import type { TestCity } from './world.ts'

const PROGRAM = resolve(import.meta.dir, 'test-service.ts')

/** Declares the test service under a name; `more` are lines of its `[[service]]`. */
export const testService = (name: string, more = ''): string => `
[[service]]
name = "${name}"
kind = "proxy_process"
${more}
[service.process]
command = ${JSON.stringify([process.execPath, PROGRAM])}
health_path = "/healthz"
`

/** Waits until a service is in a state. */
export const waitForState = (city: TestCity, name: string, state: string) =>
  eventually(
    `service ${name} is ${state}`,
    15_000,
    async () => (await city.call(`GET ~/service/${name}`)).body,
    (status) => status.local_state === state,
  )

/** The pid of the process of a service. */
export async function pidOf(city: TestCity, name: string): Promise<number> {
  const { body } = await city.call(`GET ~/service/${name}/process`)
  return Number(body.pid)
}

/** The address of a path below a service. */
export const addressOf = (city: TestCity, name: string, path = '/'): string =>
  `${city.world.url}/v0/city/${city.name}/svc/${name}${path}`
