import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { World } from '../../support/world.ts'
import { ModelServer, type Script } from './model-server.ts'
import { claude, codex, GC, gemini, opencode, type Program } from './programs.ts'

/** Secret that programs must not see. */
export const KEY = 'sk-true-key-of-the-provider'

/** As npm installs it: a link into its package, whose folder a confined session may read. */
const GEMINI = join(import.meta.dir, 'node_modules/.bin/gemini')

export interface Run {
  program: Program
  args: readonly string[]
  env(origin: string): Record<string, string>
  /** Files of a user's home after first use, so that the program on a terminal asks nothing. */
  home?(rig: string): Record<string, string>
}

/** Command of each program for one turn, with the places of its key and provider. */
export const RUNS: readonly Run[] = [
  {
    program: claude,
    args: ['-p'],
    env: (origin: string) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: origin }),
  },
  {
    program: codex,
    args: ['exec', '--skip-git-repo-check'],
    env: (origin: string) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${origin}/v1` }),
  },
  {
    program: opencode,
    args: ['run', '--model', 'anthropic/claude-sonnet-4-5'],
    env: (origin: string) => ({
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: origin,
    }),
  },
  {
    program: claude,
    args: [],
    env: (origin: string) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: origin }),
    home: (rig) => ({
      '.claude.json': JSON.stringify({
        ...{ hasCompletedOnboarding: true, theme: 'dark', bypassPermissionsModeAccepted: true },
        projects: { [rig]: { hasTrustDialogAccepted: true } },
      }),
    }),
  },
  {
    program: codex,
    args: [],
    env: (origin: string) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${origin}/v1` }),
    home: (rig) => ({
      '.codex/config.toml': `model = "gpt-5.5"
check_for_update_on_startup = false
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
[projects.${JSON.stringify(rig)}]
trust_level = "trusted"
`,
    }),
  },
  {
    program: { ...gemini, command: GEMINI },
    args: ['--model', 'gemini-2.5-pro'],
    env: (origin: string) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: origin }),
    home: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      }),
    }),
  },
]

const inOpenCode = (model: string, env: Run['env'], more: Partial<Run> = {}): Run => ({
  ...{ program: opencode, args: ['run', '--model', model], env, ...more },
})

const provider = (id: string, origin: string, more: object = {}) => ({
  OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider: { [id]: { options: { baseURL: `${origin}/v1` }, ...more } } }),
})

/** The ways in which OpenCode is given keys besides variables of the large providers, each by a provider. */
export const OPENCODE_KEYS: readonly [string, Run][] = [
  [
    'the variable of a provider that it knows',
    inOpenCode('deepseek/deepseek-v4-pro', (origin) => ({ DEEPSEEK_API_KEY: KEY, ...provider('deepseek', origin) })),
  ],
  [
    'the file of its log-ins',
    inOpenCode('zai/glm-4.5', (origin) => provider('zai', origin), {
      home: () => ({ '.local/share/opencode/auth.json': JSON.stringify({ zai: { type: 'api', key: KEY } }) }),
    }),
  ],
  [
    'a provider that its configuration declares',
    inOpenCode('own/model', (origin) => ({
      ...{ OWN_KEY: KEY },
      ...provider('own', origin, {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${origin}/v1`, apiKey: '{env:OWN_KEY}' },
        models: { model: { tool_call: true } },
      }),
    })),
  ],
]

/** Passes requests on to the model, and keeps the keys that they brought. */
function gateway(model: ModelServer) {
  const keys: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch(request) {
      const { headers, url, method, body } = request
      keys.push(headers.get('x-api-key') ?? headers.get('x-goog-api-key') ?? headers.get('authorization') ?? '')
      const { pathname, search } = new URL(url)
      return fetch(`${model.origin}${pathname}${search}`, {
        method,
        body,
        headers: { 'content-type': 'application/json' },
      })
    },
  })
  return { keys, origin: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) }
}

/** A city whose one agent runs a program confined, which asks a model by a gateway. */
export async function openConfined({ program, args, env, home }: Run, script: Script, more = '') {
  const { provider } = program
  const model = new ModelServer(script)
  const before = gateway(model)
  const world = await World.with(env(before.origin))
  const path = world.folder.at('mill')
  const rig = world.folder.at('demo')
  for (const folder of [path, rig]) mkdirSync(folder)
  for (const [name, text] of Object.entries(home?.(rig) ?? {})) {
    const file = world.folder.at('user', name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const declared = `[workspace]
name = "mill"
[[rigs]]
name = "demo"
path = "../demo"
[providers.${provider}]
base = "builtin:${provider}"
command = ${JSON.stringify(program.command)}
args_append = ${JSON.stringify(args)}
prompt_mode = "arg"
# As root it skips permission prompts only where it is told that it is in a sandbox.
env = { IS_SANDBOX = "1" }
[[agent]]
name = "worker"
dir = "demo"
provider = "${provider}"
confine = "default"
${more}`
  writeFileSync(join(path, 'city.toml'), declared)
  const gc = async (...argv: string[]) => {
    const process = Bun.spawn([...GC, ...argv], {
      cwd: path,
      env: { PATH: Bun.env.PATH, HOME: world.folder.at('user'), GC_HOME: world.home, GC_URL: world.url },
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([process.stdout.text(), process.stderr.text()])
    if ((await process.exited) !== 0) throw new Error(err)
    return out
  }
  return {
    ...{ model, rig, gc, keys: before.keys },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await model.stop()
      before[Symbol.dispose]()
    },
  }
}
