import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import type { ProcessTokens } from '../../http/process-tokens.ts'
import { route } from '../../http/route.ts'
import { HeartbeatEvent } from '../../http/schema.ts'
import { lendCommandToken } from './command-tokens.ts'
import { CommandToken } from './schema.ts'

export const commandTokenRoutes = (city: CityOf<{ processTokens: ProcessTokens }>) => [
  route(
    'GET ~/command-token/stream',
    {
      id: 'stream-command-token',
      summary: 'Create a token for a command run for the city',
      needs: 'operator',
      description:
        'The first frame has it; it ends with the stream. What it may do is what a session without permissions may, and ' +
        'what it does is recorded under `name`.',
      query: Type.Object({
        name: Type.String({
          pattern: '^[A-Za-z0-9][A-Za-z0-9 ._:-]{0,127}$',
          description: 'Label of the command: `command of slack: send`.',
        }),
      }),
      ok: { frames: { command_token: CommandToken, heartbeat: HeartbeatEvent } },
      errors: ['forbidden', 'city-not-found'],
      extension: true,
    },
    (x) => lendCommandToken(city(x).processTokens, x.query.name, x.signal),
  ),
]
