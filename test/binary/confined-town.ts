import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { type CallOptions, World } from '../support/world.ts'

const HEAD = `[workspace]
name = "mill"
[[rigs]]
name = "demo"
path = "../demo"
`
export const IDENTITY = ['-c', 'user.name=a', '-c', 'user.email=a@b']

/** A city with a rig that is a repository, and what it keeps for its agents beside what it does not. */
export async function confinedTown(toml: string, prepare: (path: string) => void = () => {}, ...flags: string[]) {
  const world = await World.confined(...flags)
  const path = world.folder.at('mill')
  const rig = world.rigFolder('demo', { git: true })
  Bun.spawnSync(['git', ...IDENTITY, 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd: rig })
  for (const folder of ['formulas', 'secrets', '.gc']) mkdirSync(join(path, folder), { recursive: true })
  for (const file of ['formulas/plan.toml', 'secrets/key', '.env']) writeFileSync(join(path, file), file)
  prepare(path)
  writeFileSync(join(path, 'city.toml'), HEAD + toml.replaceAll('@', world.folder.path))
  const token = world.operatorToken
  const call = (line: string, options: CallOptions = {}) =>
    world.call(line.replace('~', '/v0/city/mill'), { token, ...options })
  await call('POST /v0/city/register', { body: { path } })
  const running = async () => (await call('GET ~/health')).status
  await eventually('the city runs', 20_000, running, (status) => status === 200)
  /** Starts a session and answers it once its program left a file in its folder. */
  const done = async (kind: 'agent' | 'provider', name: string) => {
    await call('POST ~/sessions', { body: { kind, name } })
    const folder = async (): Promise<string | undefined> =>
      (await call('GET ~/sessions')).body.items.find((each: { template: string }) => each.template === name)?.work_dir
    const isDone = async () => existsSync(join((await folder()) ?? '', 'done'))
    await eventually(`${name} is done`, 20_000, isDone, Boolean)
    return (await folder()) ?? ''
  }
  return { world, path, rig, call, done, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}
