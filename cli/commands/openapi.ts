import type { Command } from 'commander'
import type { Here } from '../context/context.ts'

export function openapiCommand(program: Command, here: Here): void {
  program
    .command('openapi')
    .description('print the description of the API that the supervisor serves')
    .action(async () => {
      const response = await here.client.request('GET /openapi.json')
      here.io.out(`${(await response.text()).trimEnd()}\n`)
    })
}
