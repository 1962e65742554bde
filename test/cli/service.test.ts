import { describe, expect, test } from 'bun:test'
import { appendFileSync, writeFileSync } from 'node:fs'
import { testService } from '../support/services.ts'
import { eventually } from '../support/until.ts'
import { shareTown, type Town } from './town.ts'

const BROKEN = '\n[[service]]\nname = "wrong"\nkind = "proxy_process"\n'
const HEALTH = '\n[[service]]\nname = "healthz"\nworkflow.contract = "gc.healthz.v1"\n'

let town: Town
shareTown(async (opened) => {
  town = opened
  expect((await town.gc(['service', 'list'])).out).toContain(
    'The city has no services; they are declared by [[service]]',
  )
  appendFileSync(`${town.city}/city.toml`, testService('echo') + HEALTH + BROKEN)
  await town.gc(['reload'])
  await whenReady()
})

interface Shown {
  local_state: string
  pid: number
  starts: number
}

const show = () => town.json<Shown>(['service', 'show', 'echo'])
const whenReady = () => eventually('echo is ready', 15_000, show, ({ local_state }) => local_state === 'ready')

describe('gc service', () => {
  test('lists services with their state, and why one does not run', async () => {
    const { out } = await town.gc(['service', 'list'])
    expect(out).toMatch(/NAME +KIND +SERVICE +LOCAL +PUBLISH +URL +REASON/)
    expect(out).toMatch(/echo +proxy_process +ready +ready +private +- *\n/)
    expect(out).toMatch(/healthz +workflow +ready +ready +private/)
    expect(out).toMatch(/wrong +proxy_process +\S+ +config_error +private +- +\S+/)
    const { services } = await town.json<{ services: { service_name: string }[] }>(['service', 'list'])
    expect(services.map(({ service_name }) => service_name)).toEqual(['echo', 'healthz', 'wrong'])
  })

  test('shows the process, its socket and its log, and what to do about one that is declared wrongly', async () => {
    const { pid } = await show()
    const { out } = await town.gc(['service', 'show', 'echo'])
    expect(out).toMatch(/^service +echo \(proxy_process\)\nstate +ready, since /)
    expect(out).toContain(`process     ${pid}, start 1\n`)
    expect(out).toMatch(
      /\nsocket +\S+\.sock\nlog +\S+service\.log\nstate root +\.gc\/services\/echo\npublished +private\n/,
    )
    expect((await town.gc(['service', 'show', 'wrong'])).out).toMatch(/to do +fix its declaration at city\.toml:\d+/)
    expect(await town.gc(['service', 'show', 'none'])).toMatchObject({
      status: 1,
      err: expect.stringContaining('service none not found; `gc service list` shows them'),
    })
  })

  test('restarts a service, with one process after the other', async () => {
    const before = await show()
    const { out } = await town.gc(['service', 'restart', 'echo'])
    expect(out).toBe('Service echo was restarted; `gc service show echo` shows when it is ready.\n')
    const after = await whenReady()
    expect(after.pid).not.toBe(before.pid)
    expect(await town.gc(['service', 'restart', 'wrong'])).toMatchObject({
      status: 1,
      err: expect.stringContaining('[[service]] process'),
    })
    expect(await town.json(['service', 'restart', 'healthz'])).toMatchObject({ action: 'restart', service: 'healthz' })
  })

  test('shows what a service printed, the last lines of it, and reports one that prints nothing', async () => {
    const { pid } = await whenReady()
    expect((await town.gc(['service', 'logs', 'echo', '-n', '1'])).out).toBe(`listening, by ${pid}\n`)
    expect((await town.gc(['service', 'logs', 'echo', '--lines', 'all'])).status).toBe(2)
    expect(await town.gc(['service', 'logs', 'healthz'])).toMatchObject({
      status: 1,
      err: expect.stringContaining('service healthz is answered by gc itself and has no log'),
    })
  })

  test('checks a service step by step, and ends with status 1 where a step fails', async () => {
    const healthy = await town.gc(['service', 'doctor', 'echo'])
    expect([healthy.status, healthy.out.includes('FAIL')]).toEqual([0, false])
    const broken = await town.gc(['service', 'doctor', 'wrong'])
    expect(broken).toMatchObject({
      status: 1,
      out: expect.stringMatching(/FAIL .*\n(.*\n)*To do: fix its declaration/),
    })
    expect((await town.gc(['service', 'doctor', 'none'])).status).toBe(1)
  })

  test('of a program that cannot be started says which, and continues once it is there', async () => {
    const path = `${town.city}/late.sh`
    const late = `\n[[service]]\nname = "late"\nkind = "proxy_process"\nprocess.command = [${JSON.stringify(path)}]\n`
    appendFileSync(`${town.city}/city.toml`, late)
    await town.gc(['reload'])
    const shown = await eventually(
      'it failed',
      10_000,
      () => town.gc(['service', 'show', 'late']),
      ({ out }) => out.includes('last exit') && !out.includes('wait a little'),
    )
    expect(shown.out).toContain(`last exit   ${path} is not a program that can be run`)
    expect(shown.out).toContain('to do       gc service logs late; once its cause is fixed, gc service restart late')
    writeFileSync(path, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 })
    expect((await town.gc(['service', 'restart', 'late'])).status).toBe(0)
  })
})
