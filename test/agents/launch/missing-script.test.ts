import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { missingScript } from '../../../src/agents/launch/missing-script.ts'
import { tempFolder } from '../../support/folder.ts'

function world() {
  const folder = tempFolder()
  const [city, rig] = [folder.at('city'), folder.at('rig')]
  for (const path of [city, rig]) mkdirSync(path)
  for (const path of [`${city}/mayor.sh`, `${rig}/smith.sh`]) writeFileSync(path, '')
  const agent = {
    ...{ qualified: 'mayor', workDir: undefined, worktree: false, preStart: [] as string[] },
    confine: 'default' as const,
  }
  const missing = (startCommand: string, more: object = {}, path?: string) =>
    missingScript({ ...agent, startCommand, ...more }, path, city)
  return { city, rig, missing, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

describe('a start command whose script is not where its agent works', () => {
  test('is reported, with where to put it: beside what the city keeps for agents, when it is in the city', () => {
    using it = world()
    const own = `${it.city}/.gc/agents/mayor`
    expect(it.missing('./mayor.sh --fast')).toBe(
      `its start_command ./mayor.sh is not in ${own}, where it works, but in the city's folder: move it to ${it.city}/scripts, which its sessions read, and name it by its whole path`,
    )
    const there = 'put it there, or name it by its whole path'
    expect(it.missing('bin/run')).toBe(`its start_command bin/run is not in ${own}, where it works: ${there}`)
    expect(it.missing('./mayor.sh', {}, it.rig)).toBe(
      `its start_command ./mayor.sh is not in ${it.rig}, where it works: ${there}`,
    )
  })

  test('is not told of one that is there, of other words, and of a folder that is made when it starts', () => {
    using it = world()
    expect(it.missing('./absent', { confine: 'off' })).toBeUndefined()
    expect(it.missing('./smith.sh', {}, it.rig)).toBeUndefined()
    for (const line of ['claude --print', '/usr/bin/true', '$HOME/run', 'cd x && ./run', '"./a b"'])
      expect(it.missing(line)).toBeUndefined()
    for (const more of [{ worktree: true }, { preStart: ['git clone x'] }, { workDir: 'elsewhere' }])
      expect(it.missing('./absent', more)).toBeUndefined()
  })
})
