import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Dialect, OWN_TOKEN, ScriptedForge } from '../../support/forge.ts'
import { eventually } from '../../support/until.ts'
import { landingWorld } from './world.ts'

const CHECK = 'check = ["./test.sh"]\n'

/** A rig that lands by pull requests at a scripted forge over its remote. */
export async function proposingWorld(dialect: Dialect, { token = OWN_TOKEN, mode = 'pr' } = {}) {
  const world = await landingWorld({ land: '' })
  const forge = new ScriptedForge(dialect, world.remote)
  if (token !== '') {
    const file = join(world.town.hosts.home, 'forges.toml')
    writeFileSync(file, `[[token]]\nhost = "${forge.host}"\ntoken = "${token}"\n`, { mode: 0o600 })
  }
  const table = `mode = "${mode}"\n${CHECK}forge = { kind = "${dialect}", url = "${forge.url}", repository = "acme/shop" }\n`
  world.declare(table)
  await world.reopen()
  /** Lets time pass until a landing is in a state. */
  const until = async (id: string, state: string) => {
    await eventually(
      `${id} is ${state}`,
      20_000,
      async () => {
        await world.settle()
        if (world.state(id) !== state) await world.clock.advance(5_000)
        return world.state(id)
      },
      (now) => now === state,
    )
  }
  return {
    ...{ world, forge, until, declareAgain: () => world.declare(table) },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      forge[Symbol.dispose]()
    },
  }
}
