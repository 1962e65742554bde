import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type TempFolder, tempFolder } from '../support/folder.ts'

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')

/** Runs a shell script with `gc confine` in a folder `work`; in it, `$GC` is gc itself. */
async function confined(folder: TempFolder, script: string, options: string[] = []) {
  mkdirSync(folder.at('work/inner'), { recursive: true })
  const argv = [binary, 'confine', '--read', dirname(binary), ...options, '--', '/bin/sh', '-c', script]
  const child = Bun.spawn(argv, {
    cwd: folder.at('work'),
    env: { PATH: process.env.PATH, HOME: folder.path, GC_HOME: folder.at('home'), GC: binary, BUN: process.execPath },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, out, err }
}

/** Connects to what it listens on itself, to a port of the session around it, and makes a unix socket. */
const DIAL = `const connect = (port) => Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {}, open(s) { s.end() } } })
  .then(() => 'connected', () => 'refused')
const own = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
console.log('own', await connect(own.port), 'outside', await connect(Number(process.env.PORT)))
try { Bun.listen({ unix: 's', socket: { data() {} } }); console.log('unix made') } catch { console.log('unix refused') }
process.exit()`

const SERVE = `set -e
export GC_HOME=$PWD/home
"$GC" serve --port 0 > ready 2> log & server=$!
until [ -s ready ] && "$GC" city list > /dev/null 2>&1; do sleep 0.1; done
mkdir -p rig && git init -q rig
"$GC" init town > /dev/null 2>> log
cat > town/city.toml <<END
[workspace]
name = "town"
[[rigs]]
name = "rig"
path = "$PWD/rig"
[[agent]]
name = "worker"
dir = "rig"
confine = "default"
start_command = "echo kept > made; cat $PWD/home/token > seen 2> refused; touch done; sleep 600"
END
"$GC" reload --city town > /dev/null 2>> log || true
until "$GC" --city town session new rig/worker > /dev/null 2>> log; do sleep 0.2; done
until [ -e rig/done ]; do sleep 0.1; done
id=$("$GC" --city town session list --json=id | sed -n 's/.*"id": *"\\([^"]*\\)".*/\\1/p' | head -n 1)
"$GC" --city town session show "$id" | grep confined
"$GC" --city town doctor | grep ' confinement:'
"$GC" --city town confine explain rig/worker | grep inherited
cat rig/made rig/seen; grep -c denied rig/refused
"$GC" down > /dev/null 2>> log; wait $server || true`

describe.skipIf(process.platform !== 'linux')('gc in a confined session', () => {
  test('confines closer, and what it allows beyond that session stays denied', async () => {
    using folder = tempFolder()
    writeFileSync(folder.at('key'), 'secret')
    mkdirSync(folder.at('more'))
    const inner = `(cd inner && "$GC" confine --read ${folder.at('key')} --write ${folder.at('more')} -- /bin/sh -c '
      echo a > own; echo b > ../above; echo c > ${folder.at('more')}/new; cat ${folder.at('key')}; chmod 600 ${folder.at('key')}; ls')`
    const { code, out, err } = await confined(folder, `${inner}; ls`)
    expect({ code, out }).toEqual({ code: 0, out: 'own\ninner\n' })
    expect(err.match(/denied|not permitted/gi)?.length).toBeGreaterThanOrEqual(4)
  })

  test('has its programs reach what that session may, and make no unix sockets', async () => {
    using folder = tempFolder()
    await using outside = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    mkdirSync(folder.at('work/inner'), { recursive: true })
    writeFileSync(folder.at('work/inner/dial.ts'), DIAL)
    const script = `export PORT=${outside.port}; cd inner; "$GC" confine --port $PORT -- "$BUN" dial.ts`
    const { out } = await confined(folder, script, ['--read', dirname(process.execPath)])
    expect(out).toBe('own connected outside refused\nunix refused\n')
  })

  test('that reaches every network is refused a session that must not', async () => {
    using folder = tempFolder()
    const { code, out, err } = await confined(folder, '"$GC" confine -- echo ran', ['--network', 'open'])
    expect({ code, out }).toEqual({ code: 126, out: '' })
    expect(err).toContain('gc runs in a confined session that reaches every network')
    const open = await confined(folder, '"$GC" confine --network open -- echo ran', ['--network', 'open'])
    expect(open).toEqual({ code: 0, out: 'ran\n', err: '' })
  })

  test('serves a city, confines its agents, and says everywhere what they inherit', async () => {
    using folder = tempFolder()
    const { code, out, err } = await confined(folder, SERVE)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [shown, doctor, explained, ...rest] = out.split('\n')
    expect(shown).toContain('inherited: ports, modes and priorities are those of the session that gc runs in')
    expect(doctor).toContain('inherited: gc itself runs in a sandbox')
    expect(explained).toContain('inherited: gc itself runs in a sandbox')
    expect(rest).toEqual(['kept', '1', ''])
  }, 60_000)
})
