import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TempFolder } from '../../support/folder.ts'

/** The path of an installed program: one that `install.sh` installed, or one below the folder of `GC_PROGRAMS`. */
export function installed(path: string): string {
  const file = join(process.env.GC_PROGRAMS ?? import.meta.dir, 'node_modules', path)
  if (!existsSync(file)) throw new Error(`${path} is not installed: run test/agents/programs/install.sh`)
  return file
}

export const opencodePath = (): string => installed('opencode-linux-x64-baseline/bin/opencode')

/** An environment in which OpenCode uses one model only and writes nothing outside its folder. */
export function opencodeEnv(folder: Pick<TempFolder, 'at'>, modelUrl: string): Record<string, string> {
  const home = folder.at('home')
  return {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local/state'),
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config(modelUrl)),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    // On start-up, OpenCode installs a package beside its configuration; it works without that package as well.
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_fetch_retries: '0',
    GIT_AUTHOR_NAME: 'Worker',
    GIT_AUTHOR_EMAIL: 'worker@example.com',
    GIT_COMMITTER_NAME: 'Worker',
    GIT_COMMITTER_EMAIL: 'worker@example.com',
  }
}

const config = (modelUrl: string) => ({
  autoupdate: false,
  share: 'disabled',
  model: 'scripted/scripted',
  small_model: 'scripted/scripted',
  enabled_providers: ['scripted'],
  provider: {
    scripted: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Scripted',
      options: { baseURL: modelUrl, apiKey: 'none' },
      models: { scripted: { name: 'Scripted', tool_call: true, limit: { context: 100_000, output: 8_000 } } },
    },
  },
})
