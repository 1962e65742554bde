import { describe, expect, test } from 'bun:test'
import { Config } from '../../../src/config/compose/config.ts'
import { allowHost } from '../../../src/config/confinement/edit.ts'
import type { Actor } from '../../../src/core/actor.ts'
import { cityFiles } from '../city-files.ts'

const OPERATOR: Actor = { kind: 'operator', name: 'operator' }
const AGENT = '[[agent]] # mine\nname = "a"\n'

/** Allows a host to agent `a` of a city; answers what the city's file says then. */
async function allowed(toml: string, host = 'x.example') {
  using city = cityFiles({ 'city.toml': toml })
  const config = await Config.open(city.path, undefined, {})
  await config.edit(OPERATOR, (base) => allowHost(base, 'a', host))
  const hosts = config.agent('a').confineTable?.values.allowHosts
  await config.close()
  return { toml: city.all()['city.toml'], hosts }
}

describe('a host that an agent is allowed', () => {
  test.each([
    ['an agent that says nothing', AGENT, `${AGENT}confine = { allow_hosts = ["x.example"] }\n`],
    [
      'an agent that says a word',
      `${AGENT}confine = "default" # why\n`,
      `${AGENT}confine = { mode = "default", allow_hosts = ["x.example"] } # why\n`,
    ],
    [
      'an inline table',
      `${AGENT}confine = { mode = "default", ports = [1] }\nlate = 1\n`.replace('late = 1\n', ''),
      `${AGENT}confine = { mode = "default", ports = [1], allow_hosts = ["x.example"] }\n`,
    ],
    ['an empty table', `${AGENT}confine = {}\n`, `${AGENT}confine = { allow_hosts = ["x.example"] }\n`],
    [
      'an inline table with hosts',
      `${AGENT}confine = { allow_hosts = ["y.example"], ports = [1] }\n`,
      `${AGENT}confine = { allow_hosts = ["y.example", "x.example"], ports = [1] }\n`,
    ],
    [
      'a table of its own',
      `${AGENT}[agent.confine] # table\nmode = "default"\n`,
      `${AGENT}[agent.confine] # table\nmode = "default"\nallow_hosts = ["x.example"]\n`,
    ],
    [
      'a patch that says a word',
      `${AGENT}[[patches.agent]]\nname = "a"\nconfine = "default"\n`,
      `${AGENT}[[patches.agent]]\nname = "a"\nconfine = { mode = "default", allow_hosts = ["x.example"] }\n`,
    ],
  ])('is written where it is said how it is confined: %s', async (_, before, after) => {
    expect((await allowed(before)).toml).toBe(after)
  })

  test('stands once, however often it is allowed', async () => {
    const once = `${AGENT}confine = { allow_hosts = ["x.example"] }\n`
    expect(await allowed(once)).toEqual({ toml: once, hosts: ['x.example'] })
  })

  test('is none that no one could write', async () => {
    await expect(allowed(AGENT, '[::1')).rejects.toMatchObject({ code: 'invalid-request' })
    expect((await allowed(AGENT, '[2001:db8::1]:8443')).hosts).toEqual(['[2001:db8::1]:8443'])
  })
})
