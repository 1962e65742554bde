import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'

export function openapiCommand(program: Command, context: CommandContext): void {
  program
    .command('openapi')
    .description('print the OpenAPI document of the supervisor')
    .action(async () => {
      const response = await (await context.supervisor()).request('GET /openapi.json')
      context.io.out(`${(await response.text()).trimEnd()}\n`)
    })
}
