import { expect, test } from 'bun:test'
import { mkdirSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { tempFolder } from '../../support/folder.ts'

const GC = resolve(process.env.GC_BINARY ?? 'dist/gc')
const BUN = realpathSync(process.execPath)

/** Daily work of people's agents without a network; the last line confirms it. */
const WORK: [string, string][] = [
  [
    'git makes a repository, commits and branches',
    `git init -q . && echo one > a && git add a && git -c user.name=a -c user.email=a@b commit -qm one &&
     git checkout -qb other && git log --format=%s`,
  ],
  [
    'npm ci installs what the lock file names',
    `mkdir dep && echo '{"name":"dep","version":"1.0.0"}' > dep/package.json && echo 'module.exports = 7' > dep/index.js &&
     echo '{"name":"x","version":"1.0.0","dependencies":{"dep":"file:dep"}}' > package.json &&
     npm install --offline --no-audit --no-fund > /dev/null && rm -r node_modules &&
     npm ci --offline --no-audit --no-fund > /dev/null && node -p 'require("dep")'`,
  ],
  ['pip is installed into an environment of its own', 'python3 -m venv v && v/bin/pip --version | cut -c1-3'],
  [
    'go build makes a program that runs',
    `printf 'module x\\ngo 1.18\\n' > go.mod && printf 'package main\\nfunc main() { println("built") }\\n' > x.go &&
     go build -o x . && ./x 2>&1`,
  ],
  [
    'cargo build makes a program that runs',
    'cargo init -q --name x . 2> /dev/null && cargo build -q --offline && ./target/debug/x',
  ],
  [
    'make and a C compiler make a program that runs',
    `printf 'int main(void) { return 0; }\\n' > x.c && make -s x && ./x && echo made`,
  ],
  [
    'bun test runs tests that listen and connect',
    `cat > a.test.ts <<'END'
import { expect, test } from 'bun:test'
test('a', async () => {
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('served') })
  expect(await (await fetch(server.url)).text()).toBe('served')
})
END
     ${BUN} test 2>&1 | grep -c '^(pass)'`,
  ],
  ['strace follows a program', 'strace -f -o traced true && grep -c execve traced'],
  ['gdb runs a program and says how it ended', 'gdb -q -batch -ex run /bin/true 2>&1 | grep -o "exited normally"'],
  [
    'docker is as absent as it is elsewhere, or reaches nothing',
    'DOCKER_HOST=unix:///nonexistent docker ps 2> /dev/null',
  ],
]

/** Runs a script in a new folder of its own; answers its status and the last line that it said. */
async function run(script: string, words: readonly string[]) {
  using folder = tempFolder()
  mkdirSync(folder.at('work'))
  const child = Bun.spawn([...words, 'sh', '-c', script], {
    ...{ cwd: folder.at('work'), stdio: ['ignore', 'pipe', 'pipe'] as const },
  })
  const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { said: { status, last: out.trim().split('\n').at(-1) }, err }
}

test.each(WORK)(
  'confined as it is without: %s',
  async (_, script) => {
    const plain = await run(script, [])
    const confined = await run(script, [GC, 'confine', '--network', 'session', '--read', dirname(BUN), '--'])
    expect(confined.said, confined.err).toEqual(plain.said)
  },
  // Compilers build their own libraries anew, since the cache of a person is not theirs.
  300_000,
)
