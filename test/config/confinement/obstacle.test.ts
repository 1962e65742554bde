import { describe, expect, test } from 'bun:test'
import { placesOf } from '../../../src/config/confinement/judge.ts'
import { type Access, confinementRisk, placeOf } from '../../../src/config/confinement/obstacle.ts'

const around = {
  ...{ home: '/home/ann', gcHome: '/home/ann/.gc', city: '/home/ann/mill', rig: 'shop' },
  rigs: [
    { name: 'shop', path: '/home/ann/src/shop' },
    { name: 'bank', path: '/home/ann/src/bank' },
    { name: 'later', path: undefined },
  ],
}

describe('a path that would void confinement', () => {
  test.each<[Access, string, string]>([
    ['read', '/', "/home/ann/.gc has gc's own keys"],
    ['read', '~', "/home/ann/.gc has gc's own keys"],
    ['read', '~/.gc/token', "/home/ann/.gc has gc's own keys"],
    ['read', '/home/ann/mill/', "/home/ann/mill/.gc has gc's own files"],
    ['write', '/home', "/home/ann/.gc has gc's own keys"],
    ['write', '~/.gc/run', 'the socket of its host'],
    ['write', '~/.claude', '/home/ann/.claude decides what programs do that are not confined'],
    ['write', '~/.codex/config.toml', '/home/ann/.codex decides'],
    ['write', '~/.bashrc', '/home/ann/.bashrc decides'],
    ['write', '~/.ssh', '/home/ann/.ssh decides'],
    ['write', '~/.config/systemd/user', '/home/ann/.config decides'],
    ['write', '~/.local', '/home/ann/.local/bin decides'],
    ['write', '/etc/systemd/system', "/etc is the system's"],
    ['write', '/run/user/1000', "/run is the system's"],
    ['write', '/tmp', "/tmp is the system's"],
    ['write', '~/src/bank', 'it is in rig bank, or has it in it'],
    ['write', '~/src/bank/out', 'it is in rig bank, or has it in it'],
    ['write', '~/src', 'it is in rig bank, or has it in it'],
  ])('is refused with the reason: %s %s', (access, path, reason) => {
    expect(confinementRisk(placeOf(path, around) ?? '', access, around)).toContain(reason)
  })

  test.each<[Access, string, string]>([
    ['read', '~/.ssh/known_hosts', '/home/ann/.ssh/known_hosts'],
    ['read', '/srv/data', '/srv/data'],
    ['read', '~/src/bank', '/home/ann/src/bank'],
    ['write', '~/cache', '/home/ann/cache'],
    ['write', '{rig}/out', '/home/ann/src/shop/out'],
    ['write', '{rig}', '/home/ann/src/shop'],
    ['write', '/tmp/mine/', '/tmp/mine'],
    ['write', '/home/ann/.gcx', '/home/ann/.gcx'],
  ])('is not one that only looks like it: %s %s', (access, path, place) => {
    expect(placeOf(path, around)).toBe(place)
    expect(confinementRisk(place, access, around)).toBeUndefined()
  })

  test('is one that leads to such a place by a link, and one of a rig that is nowhere', () => {
    const grant = (value: string) => ({ value, by: 'agent' as const, file: 'city.toml', line: 3 })
    const profile = { read: [grant('~/fine')], write: [grant('~/link'), grant('~/cache')] }
    const real = (path: string) => (path === '/home/ann/link' ? '/home/ann/.ssh' : path)
    const judged = placesOf(profile, around, real)
    expect([judged.read, judged.write]).toEqual([['/home/ann/fine'], ['/home/ann/cache']])
    expect(judged.refused.map(({ reason }) => reason)).toEqual([expect.stringContaining('/home/ann/.ssh decides')])
    const homeless = placesOf({ read: [grant('{rig}/x')], write: [] }, { ...around, rig: 'later' })
    expect(homeless.refused.map(({ reason }) => reason)).toEqual(['the agent has no rig with a folder on this machine'])
  })
})
