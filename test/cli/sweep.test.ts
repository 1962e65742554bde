import { expect, test } from 'bun:test'
import { alive } from '../host/world.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown(async (opened) => {
  town = opened
})

/** Starts a process that looks as if a session had left it; its pid. */
function detach(): number {
  const env = { PATH: process.env.PATH ?? '', GC_HOME: town.home, GC_CITY: town.city, GC_SESSION_ID: 'to-7' }
  const { stdout } = Bun.spawnSync(['sh', '-c', 'setsid sleep 300 >/dev/null 2>&1 & echo $!'], { env })
  return Number(stdout.toString())
}

test('gc session sweep ends nothing unless a person says yes', async () => {
  expect(await town.gc(['session', 'sweep'])).toMatchObject({ status: 0, out: 'No process has left its session.\n' })
  const pid = detach()
  const asked = await town.gc(['session', 'sweep'], { interactive: true, stdin: 'no' })
  expect(asked).toMatchObject({ status: 1, err: 'End 1 process? [y/N] gc: nothing was stopped\n' })
  expect(asked.out).toContain(`${pid}`)
  expect(alive(pid)).toBe(true)
  const confirmed = await town.gc(['session', 'sweep'], { interactive: true, stdin: 'y' })
  expect(confirmed).toMatchObject({ status: 0, err: 'End 1 process? [y/N] ' })
  expect(confirmed.out).toEndWith('1 process ended.\n')
  expect(alive(pid)).toBe(false)
  expect(town.reports).toEqual([])
})
