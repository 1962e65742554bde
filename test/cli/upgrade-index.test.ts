import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { compareReleases, downloadProgram, parseAddress, readIndex } from '../../cli/upgrade/release-index.ts'
import { readSigningKey, signatureOf } from '../../scripts/release/signing-key.ts'

// A key that was made for these tests, without a password.
const key = readSigningKey(
  'RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA37SEM+qLcjobuIWOo18T1Ug662YTDCuD6HLcKS92BCp3XcsdXOU5VlNxBzAeSr5RHCg0WYx38XLJCaPdn4Dwf5suSm4JKCfQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  undefined,
)
const { publicKey } = key
const PROGRAM = Buffer.from('a program')
const PACKED = { zst: Bun.zstdCompressSync(PROGRAM), gz: gzipSync(PROGRAM) }
const hash = (content: Uint8Array) => Bun.SHA256.hash(content, 'hex')
const offered = (end: 'zst' | 'gz') => ({
  target: 'linux-x64',
  name: `gc.${end}`,
  size: PACKED[end].length,
  sha256: hash(PACKED[end]),
  program_size: PROGRAM.length,
  program_sha256: hash(PROGRAM),
})
const INDEX = {
  schema: 1,
  version: '1.2.3',
  commit: '0123456789ab',
  date: '2026-01-02T03:04:05.000Z',
  files: [offered('zst'), { ...offered('gz'), target: 'linux-arm64' }, offered('gz')],
}

/** A release on loopback: its index, signed, and its files. */
function release(index: unknown = INDEX, changed: Readonly<Record<string, string | Uint8Array>> = {}) {
  const text = typeof index === 'string' ? index : JSON.stringify(index)
  const files: Record<string, string | Uint8Array> = {
    'release.json': text,
    'release.json.minisig': signatureOf(Buffer.from(text), 'gc', key),
    'gc.zst': PACKED.zst,
    'gc.gz': PACKED.gz,
    ...changed,
  }
  const asked: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      const name = new URL(url).pathname.slice('/v1/'.length)
      asked.push(name)
      const content = files[name]
      return content === undefined ? new Response('none', { status: 404 }) : new Response(Buffer.from(content))
    },
  })
  const address = new URL(`http://127.0.0.1:${server.port}/v1/release.json`)
  return { address, asked, [Symbol.dispose]: () => void server.stop(true) }
}

const { signal } = new AbortController()
const reading = { target: 'linux-x64', publicKey, signal }

describe('a release index', () => {
  test('that the key of this build signed offers the files of this platform', async () => {
    using server = release()
    const found = await readIndex(server.address, reading)
    expect(found).toMatchObject({ version: '1.2.3', commit: '0123456789ab', date: '2026-01-02', isVerified: true })
    expect(found.files.map(({ name }) => name)).toEqual(['gc.zst', 'gc.gz'])
    for (const file of found.files)
      expect(Buffer.from(await downloadProgram(server.address, file, signal))).toEqual(PROGRAM)
    expect(server.asked).toEqual(['release.json', 'release.json.minisig', 'gc.zst', 'gc.gz'])
  })

  test('is not trusted without a valid signature, and not verified in an unsigned build', async () => {
    const others = signatureOf(Buffer.from('other'), 'gc', key)
    for (const signature of [others, '', 'x'.repeat(1000)]) {
      using server = release(INDEX, { 'release.json.minisig': signature })
      await expect(readIndex(server.address, reading)).rejects.toThrow('is not valid; nothing was changed')
      const other = 'RWT1siDPCvfISstCUHdgLrsVhv/bKgM8PsBz9MIy5/8OUJHph5Rw2HQy'
      using good = release()
      await expect(readIndex(good.address, { ...reading, publicKey: other })).rejects.toThrow('is not valid')
      const unsigned = await readIndex(server.address, { ...reading, publicKey: undefined })
      expect(unsigned.isVerified).toBe(false)
    }
    using server = release(INDEX, { 'release.json.minisig': 'x'.repeat(5000) })
    await expect(readIndex(server.address, reading)).rejects.toThrow(
      'it is larger than 4096 bytes; nothing was changed',
    )
  })

  test('of another form, or with names and sizes that it must not have, is rejected', async () => {
    const withFile = (changes: object) => ({ ...INDEX, files: [{ ...offered('gz'), ...changes }] })
    const wrong: unknown[] = [
      '',
      '[]',
      'null',
      { ...INDEX, schema: 2 },
      { ...INDEX, version: '1.2' },
      { ...INDEX, files: {} },
    ]
    wrong.push({ ...INDEX, commit: '\u001b[31m' }, { ...INDEX, date: 'today' })
    wrong.push(withFile({ name: '../gc.gz' }), withFile({ name: 'http://x/gc' }), withFile({ sha256: 'A'.repeat(64) }))
    wrong.push(
      withFile({ size: -1 }),
      withFile({ size: 2 ** 40 }),
      withFile({ size: '9' }),
      withFile({ program_sha256: '' }),
    )
    for (const index of wrong) {
      using server = release(index)
      await expect(readIndex(server.address, reading)).rejects.toThrow('is not a release index; nothing was changed')
    }
  })
})

describe('a download', () => {
  test('that is cut off, forged, too long or missing is rejected', async () => {
    const [file] = (await readFrom(release())).files
    if (!file) throw new Error('there is no file')
    const attempt = async (content: Uint8Array | undefined) => {
      using server = release(INDEX, content === undefined ? {} : { 'gc.zst': content })
      return await downloadProgram(server.address, content ? file : { ...file, name: 'none' }, signal)
    }
    await expect(attempt(PACKED.zst.subarray(0, 5))).rejects.toThrow('gc.zst is damaged or forged')
    await expect(attempt(Buffer.alloc(PACKED.zst.length))).rejects.toThrow('gc.zst is damaged or forged')
    await expect(attempt(Buffer.alloc(PACKED.zst.length + 1))).rejects.toThrow('it is larger than')
    await expect(attempt(undefined)).rejects.toThrow('status 404; nothing was changed')
    using server = release()
    const wrong = { ...file, programSha256: hash(Buffer.from('another')) }
    await expect(downloadProgram(server.address, wrong, signal)).rejects.toThrow(
      'is not the one that the release index names',
    )
  })

  const readFrom = async (server: ReturnType<typeof release>) => {
    using _ = server
    return await readIndex(server.address, reading)
  }
})

test('releases are ordered by version, and within a version by day', () => {
  const order = (a: string, b: string, days: readonly (string | undefined)[] = []) =>
    Math.sign(compareReleases({ version: a, date: days[0] }, { version: b, date: days[1] }))
  expect([order('0.10.0', '0.9.0'), order('0.9.0', '0.10.0'), order('1.0.0-rc.1', '1.0.0')]).toEqual([1, -1, -1])
  expect(order('1.0.0', '1.0.0', ['2026-01-02', '2026-01-03'])).toBe(-1)
  expect([order('1.0.0', '1.0.0', ['2026-01-02', '2026-01-02']), order('1.0.0', '1.0.0', ['2026-01-02'])]).toEqual([
    0, 1,
  ])
})

test('the address of an index is one of http or https, without a user or password', () => {
  expect(parseAddress('https://example.com/release.json').href).toBe('https://example.com/release.json')
  for (const text of ['', 'release.json', 'file:///etc/passwd', 'ftp://example.com/x'])
    expect(() => parseAddress(text)).toThrow('must be an http or https address')
  expect(() => parseAddress('https://user:secret@example.com/x')).toThrow(
    /^(?!.*secret).*must not contain a user or password/,
  )
})
