import { expect, test } from 'bun:test'
import { compose } from '../../../../src/config/compose/compose.ts'
import { agentsWithHookReview } from '../../../../src/config/compose/resolve/hook-reviews.ts'
import { FileSnapshot } from '../../../../src/config/files/file-snapshot.ts'
import { cityFiles } from '../../city-files.ts'

const hooksOf = (folder: string) => ({ [`${folder}/.codex/hooks.json`]: '{}' })

test('agents that run Codex with hooks of a pack, or of gc, wait for a review', () => {
  using city = cityFiles({
    'city.toml': `[workspace]
provider = "codex"
[providers.mine]
base = "builtin:codex"
command = "my-codex"
[providers.lost]
args = ["x"]
`,
    'pack.toml': '[pack]\nname = "town"\nschema = 2\n',
    'agents/plain/agent.toml': 'scope = "city"\n',
    'agents/top/agent.toml': 'scope = "city"\n',
    ...hooksOf('agents/top/overlay'),
    'agents/own/agent.toml': 'scope = "city"\nprovider = "mine"\n',
    ...hooksOf('agents/own/overlay/per-provider/mine'),
    'agents/family/agent.toml': 'scope = "city"\nprovider = "mine"\n',
    ...hooksOf('agents/family/overlay/per-provider/codex'),
    'agents/asked/agent.toml': 'scope = "city"\ninstall_agent_hooks = ["codex"]\n',
    'agents/other/agent.toml': 'scope = "city"\nprovider = "claude"\ninstall_agent_hooks = ["codex"]\n',
    'agents/command/agent.toml': 'scope = "city"\nstart_command = "codex"\ninstall_agent_hooks = ["codex"]\n',
    'agents/lost/agent.toml': 'scope = "city"\nprovider = "lost"\ninstall_agent_hooks = ["codex"]\n',
  })
  const { config } = compose(new FileSnapshot(city.path))
  expect(agentsWithHookReview(config).toSorted()).toEqual(['asked', 'family', 'own', 'top'])
})
