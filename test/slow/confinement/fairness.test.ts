import { expect, test } from 'bun:test'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { Confiner } from '../../../src/host/confine/start/confiner.ts'
import { type TempFolder, tempFolder } from '../../support/folder.ts'

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')
const PROXY = { hosts: [], advice: '', keys: [], env: {} }

/** Asks the proxy of the session one thing after another, and prints how many milliseconds the median took. */
const ASK = `const port = Number(new URL(process.env.HTTP_PROXY).port)
const ask = () => new Promise((done) => Bun.connect({ hostname: '127.0.0.1', port, socket: {
  open: (socket) => void socket.write('CONNECT example.com:443 HTTP/1.1\\r\\n\\r\\n'), data() {}, close: done, error: done, connectError: done } }).catch(done))
`
const MEASURE = `${ASK}
for (let n = 0; n < 200; n++) { await ask(); await Bun.sleep(11) }
for (let round = 0; round < 3; round++) {
  const took = []
  for (let n = 0; n < 75; n++) { const since = performance.now(); await ask(); took.push(performance.now() - since); await Bun.sleep(15) }
  console.log(took.sort((a, b) => a - b)[37])
  await new Promise((go) => process.stdin.once('data', go))
}
process.exit()`
const FLOOD = `${ASK}
console.log('flooding')
for (let n = 0; n < 200; n++) (async () => { for (;;) await ask() })()`

/** Starts a script in a sandbox of its own, whose proxy is in this process like those of all sessions of a host. */
function start(confiner: Confiner, folder: TempFolder, key: string, script: string) {
  const confine = {
    home: homedir(),
    private: folder.at(key),
    read: [process.execPath],
    write: [folder.path],
    ports: [],
  }
  const argv = [process.execPath, '-e', script]
  const wanted = {
    key,
    argv,
    env: { PATH: process.env.PATH },
    confine: { ...confine, network: 'session' as const, proxy: PROXY },
  }
  const { command, env, extra, started } = confiner.prepare(process.execPath, wanted)
  const child = Bun.spawn(command, { cwd: folder.path, env, stdio: ['pipe', 'pipe', 'inherit', ...extra] })
  started(child)
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  return { child, line: async () => (await lines.read()).value?.trim() ?? '' }
}

test.skipIf(process.platform !== 'linux')(
  'a session that opens connections in a loop delays another by less than twice',
  async () => {
    using folder = tempFolder()
    const confiner = new Confiner([binary], () => {})
    const sibling = start(confiner, folder, 'sibling', MEASURE)
    const children = [sibling.child]
    try {
      const alone = Number(await sibling.line())
      const flood = start(confiner, folder, 'flood', FLOOD)
      children.push(flood.child)
      expect(await flood.line()).toBe('flooding')
      // Its first connections are those that every session may make at once.
      await Bun.sleep(2_000)
      sibling.child.stdin.write('go')
      const beside = Number(await sibling.line())
      expect(beside / alone).toBeLessThan(2)
    } finally {
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(children.map(({ exited }) => exited))
      confiner.close()
    }
  },
  60_000,
)
