import { expect, test } from 'bun:test'
import { describeCgroupSupport, localCgroupSupport } from '../../src/host/process/cgroup-support.ts'
import { cityFiles } from '../config/city-files.ts'
import { gc } from './shell.ts'

test('gc confine explain says how this machine holds sessions to their shares', async () => {
  using city = cityFiles({
    'city.toml': '[[agent]]\nname = "w"\nstart_command = "x"\nconfine = { share = { memory = "2GB" } }\n',
  })
  // Nothing listens on the discard port of this machine.
  const env = { GC_URL: 'http://127.0.0.1:9', HOME: city.path }
  const { out } = await gc(['confine', 'explain', 'w'], { env, cwd: city.path })
  expect(out).toContain(
    `Limits of cpu and memory: ${describeCgroupSupport(localCgroupSupport())} (for a session host started`,
  )
})
