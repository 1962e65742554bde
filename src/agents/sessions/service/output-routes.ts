import { Type } from '@sinclair/typebox'
import { SESSION_CONFLICT } from '../../../host/protocol/errors.ts'
import type { CityOf } from '../../../http/city-of.ts'
import { route, socket } from '../../../http/route.ts'
import { TRANSCRIPT_CURSOR_INVALIDATED } from '../../conversations/formats/errors.ts'
import {
  ActivityFrame,
  PendingCleared,
  RawFrame,
  StructuredFrame,
  Transcript,
  TranscriptFormat,
  TurnFrame,
} from '../../conversations/structured/transcript.ts'
import { PendingInteraction, SessionPrompt } from '../schema.ts'
import type { SessionOperations } from './operations.ts'
import { TerminalSends, TerminalTakes, Ticket, TicketRequest } from './terminals.ts'

const format = Type.Optional(TranscriptFormat)
const include_thinking = Type.Optional(
  Type.Boolean({ description: 'Keeps the text of thinking blocks; only for `structured`.' }),
)

/** Looking at what sessions say and show. */
export const outputRoutes = (city: CityOf<{ sessions: SessionOperations }>) => [
  route(
    'GET ~/session/{id}/transcript',
    {
      id: 'get-v0-city-by-city-name-session-by-id-transcript',
      summary: 'Read what a session said',
      description: 'Its conversation, or what its screen shows while its program keeps no log that can be read.',
      query: Type.Object({
        format,
        include_thinking,
        tail: Type.Optional(
          Type.String({ description: 'How many compaction segments from the end; all when absent.' }),
        ),
        before: Type.Optional(Type.String({ description: 'Only entries before this one.' })),
        after: Type.Optional(Type.String({ description: 'Only entries after this one.' })),
      }),
      ok: Transcript,
      errors: ['session-not-found', SESSION_CONFLICT, TRANSCRIPT_CURSOR_INVALIDATED],
      index: true,
    },
    (x) => city(x).sessions.transcripts.get(x.params.id, x.query),
  ),
  route(
    'GET ~/session/{id}/stream',
    {
      id: 'stream-session',
      summary: 'Follow what a session says',
      query: Type.Object({
        format,
        include_thinking,
        after_cursor: Type.Optional(
          Type.String({
            maxLength: 2048,
            description: 'The resume token of what was seen last; only for `structured`.',
          }),
        ),
      }),
      headers: { 'Last-Event-ID': 'As `after_cursor`, and goes before it.' },
      responseHeaders: {
        'GC-Session-State': 'The state of the session when the stream was opened.',
        'GC-Session-Status': '`stopped` when no program runs.',
      },
      ok: {
        frames: {
          turn: TurnFrame,
          message: RawFrame,
          structured: StructuredFrame,
          activity: ActivityFrame,
          pending: PendingInteraction,
          pending_cleared: PendingCleared,
        },
      },
      errors: ['session-not-found', SESSION_CONFLICT],
    },
    (x) => city(x).sessions.transcripts.stream(x.params.id, x),
  ),
  route(
    'GET ~/session/{id}/prompt',
    {
      id: 'get-session-prompt',
      summary: 'Read what a session’s agent is told to be',
      description: 'The prompt of its agent, filled in for this session: what `gc prime` prints.',
      ok: SessionPrompt,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).sessions.reader.prompt(x.params.id),
  ),
  route(
    'POST ~/session/{id}/terminal-ticket',
    {
      id: 'create-terminal-ticket',
      summary: 'Get a ticket for a session’s terminal',
      description: 'It opens the terminal once, within a minute.',
      body: Type.Optional(TicketRequest),
      ok: Ticket,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden'],
      extension: true,
    },
    (x) => city(x).sessions.terminals.ticket(x.params.id, x.caller, x.body?.write ?? false),
  ),
  socket(
    'GET ~/session/{id}/terminal',
    {
      id: 'attach-terminal',
      summary: 'Attach to a session’s terminal',
      description: 'Binary messages are what the program writes, and keys for it when the ticket allows that.',
      query: Type.Object({ ticket: Type.Optional(Type.String({ description: 'From `terminal-ticket`.' })) }),
      sends: TerminalSends,
      takes: TerminalTakes,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden'],
      extension: true,
    },
    (x) => city(x).sessions.terminals.attach(x.params.id, x.query.ticket),
  ),
]
