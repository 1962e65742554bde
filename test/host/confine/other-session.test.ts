import { expect, test } from 'bun:test'
import type { StartSpec } from '../../../src/host/protocol/session.ts'
import { type HostWorld, hostWorld, output, sh } from '../world.ts'

/** A confined shell with a proxy of its own. */
function proxied(world: HostWorld, key: string, script: string): StartSpec {
  const { path } = world.folder
  const confine = {
    ...{ home: path, private: world.folder.at(`private-${key}`), read: [], write: [path], ports: [] },
    ...{ network: 'session' as const, proxy: { hosts: ['example.com'], advice: '', keys: [], env: {} } },
  }
  return sh(world, key, script, { confine })
}

test('a confined session does not reach the proxy of another, even with its password', async () => {
  await using world = hostWorld()
  const host = await world.connect()
  await host.start(proxied(world, 'a', 'echo "proxy=$HTTPS_PROXY."; exec sleep 300'))
  const { text: said } = await output(host, 'a', (seen) => /proxy=.*\./.test(seen))
  const [, theirs = '', port = ''] = /proxy=(http:\/\/[^@\s]+:[^@\s]+@[^:\s]+:(\d+))\/?\.\r/.exec(said) ?? []
  expect(Number(port)).toBeGreaterThan(0)
  const dial = (url: string) => `curl -s -m 5 -o answer -x ${url} http://nowhere.invalid/; echo "code=$?."`
  const ask = `${dial('"$HTTP_PROXY"')}; ${dial(theirs)}; ${dial(`http://[::1]:${port}`)}`
  await host.start(proxied(world, 'b', `${ask}; exec sleep 300`))
  const { text } = await output(host, 'b', (seen) => (seen.match(/code=\d+\./g) ?? []).length === 3)
  // Its own proxy answers; that of the other looks as if nobody listened.
  expect(text.match(/code=\d+/g)).toEqual(['code=0', 'code=7', 'code=7'])
})
