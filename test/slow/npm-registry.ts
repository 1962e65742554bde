import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runWell } from './release-build.ts'

/** A registry on loopback with the packages of a folder, as npm reads it. */
export async function npmRegistry(folder: string) {
  const packuments = new Map<string, object>()
  const files = readdirSync(folder)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url }) {
      const name = decodeURIComponent(new URL(url).pathname.slice(1))
      if (files.includes(name)) return new Response(Bun.file(join(folder, name)))
      const packument = packuments.get(name)
      return packument ? Response.json(packument) : Response.json({ error: 'not found' }, { status: 404 })
    },
  })
  const url = `http://127.0.0.1:${server.port}/`
  for (const file of files) {
    const manifest = JSON.parse(await runWell(['tar', '-xzOf', file, 'package/package.json'], folder))
    const { name, version } = manifest
    const hash = new Bun.CryptoHasher('sha512').update(readFileSync(join(folder, file))).digest('base64')
    const dist = { tarball: url + file, integrity: `sha512-${hash}` }
    packuments.set(name, { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } })
  }
  return { url, [Symbol.dispose]: () => void server.stop(true) }
}
