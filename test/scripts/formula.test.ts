import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { writeFormula } from '../../scripts/release/packages.ts'
import { tempFolder } from '../support/folder.ts'

test('the Homebrew formula names the file and checksum of each platform, and is left out of a release without an address', () => {
  using folder = tempFolder()
  const release = {
    ...{ folder: folder.path, version: '1.2.3', date: new Date(0), description: 'Runs agents', npmName: 'gc' },
    ...{ license: '', notices: '', shell: [], gzipLevel: 1 },
  }
  const checksums = new Map(
    (['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'] as const).map((target, index) => [
      target,
      `${index}`.repeat(64),
    ]),
  )
  writeFormula({ ...release, url: '' }, checksums)
  writeFormula({ ...release, url: 'https://example.com/v1' }, new Map([['linux-x64', '0']]))
  expect(existsSync(folder.at('gc.rb'))).toBe(false)
  writeFormula({ ...release, url: 'https://example.com/v1' }, checksums)
  const formula = readFileSync(folder.at('gc.rb'), 'utf8')
  for (const [target, checksum] of checksums)
    expect(formula).toContain(`url "https://example.com/v1/gc-1.2.3-${target}.gz"\n      sha256 "${checksum}"`)
})
