import { Type } from '@sinclair/typebox'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import type { CityOf } from '../../http/city-of.ts'
import { ofOtherSessions } from '../../http/needs.ts'
import { route, socket } from '../../http/route.ts'
import { HeartbeatEvent } from '../../http/schema.ts'
import { PendingInteraction, SessionPrompt } from '../../work/sessions/index.ts'
import {
  ActivityFrame,
  PendingCleared,
  RawFrame,
  ScreenFrame,
  StructuredFrame,
  TRANSCRIPT_CURSOR_INVALIDATED,
  Transcript,
  TranscriptFormat,
  TranscriptMatches,
  TranscriptSearch,
  TurnFrame,
} from '../conversations/index.ts'
import type { SessionOperations } from './operations.ts'
import { TerminalSends, TerminalTakes, Ticket, TicketRequest } from './terminals.ts'

const format = Type.Optional(TranscriptFormat)
const include_thinking = Type.Optional(
  Type.Boolean({ description: 'Includes the text of thinking blocks; only for `structured`.' }),
)

/** Events of a session's streams in every format; clients look it up by name. */
export const SessionStreamCommonEvent = Type.Union(
  [ActivityFrame, PendingInteraction, PendingCleared, HeartbeatEvent],
  {
    $id: 'SessionStreamCommonEvent',
  },
)

/** Operations that read the output of sessions. */
export const outputRoutes = (city: CityOf<{ sessions: SessionOperations }>) => [
  route(
    'GET ~/session/{id}/transcript',
    {
      id: 'get-v0-city-by-city-name-session-by-id-transcript',
      summary: 'Get the transcript of a session',
      needs: ofOtherSessions('watch'),
      description: 'The conversation, or the screen if its program writes no log that can be read.',
      query: Type.Object({
        format,
        include_thinking,
        tail: Type.Optional(
          Type.String({ description: 'The number of compaction segments from the end; all when absent.' }),
        ),
        before: Type.Optional(Type.String({ description: 'Only entries before this one.' })),
        after: Type.Optional(Type.String({ description: 'Only entries after this one.' })),
      }),
      ok: Transcript,
      errors: ['session-not-found', SESSION_CONFLICT, TRANSCRIPT_CURSOR_INVALIDATED],
      index: true,
    },
    (x) => city(x).sessions.reading.transcript(x.params.id, x.query),
  ),
  route(
    'GET ~/transcripts/search',
    {
      id: 'search-transcripts',
      summary: 'Search the transcripts of sessions',
      needs: 'watch',
      description:
        'Searches the conversations of all sessions, live and closed, including the input and output of tools. For ' +
        'programs without a readable log it searches the screen. Only the newest 16 MB of a large log are read.',
      query: TranscriptSearch,
      ok: TranscriptMatches,
      errors: ['session-not-found', SESSION_CONFLICT, 'invalid-cursor'],
      extension: true,
    },
    (x) => city(x).sessions.reading.search(x.query, x.signal),
  ),
  route(
    'GET ~/session/{id}/stream',
    {
      id: 'stream-session',
      summary: 'Stream the conversation of a session',
      needs: ofOtherSessions('watch'),
      query: Type.Object({
        format,
        include_thinking,
        after_cursor: Type.Optional(
          Type.String({
            maxLength: 2048,
            description: 'The resume token of the last frame that was received; only for `structured`.',
          }),
        ),
      }),
      headers: { 'Last-Event-ID': 'Like `after_cursor`, and wins over it.' },
      responseHeaders: {
        'GC-Session-State': 'The state of the session when the stream was opened.',
        'GC-Session-Status': '`stopped` when its program is not running.',
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
    (x) => city(x).sessions.reading.stream(x.params.id, x),
  ),
  route(
    'GET ~/session/{id}/screen',
    {
      id: 'stream-session-screen',
      summary: 'Stream the screen of a session',
      needs: ofOtherSessions('watch'),
      description: 'The last lines of its terminal, now and whenever they have changed, until the session is closed.',
      query: Type.Object({
        styles: Type.Optional(
          Type.Boolean({
            description:
              'Keeps colours and text styles in the lines, as SGR sequences (`ESC [ … m`); every other sequence is removed.',
          }),
        ),
      }),
      ok: { frames: { screen: ScreenFrame } },
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).sessions.reading.screen(x.params.id, x.signal, x.query.styles),
  ),
  route(
    'GET ~/session/{id}/prompt',
    {
      id: 'get-session-prompt',
      summary: 'Get the prompt of a session',
      needs: ofOtherSessions('watch'),
      description:
        'The prompt of its agent, rendered for this session, as `gc prime` prints it. Also accepts the name of an agent without a session.',
      ok: SessionPrompt,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).sessions.reading.prompt(x.params.id),
  ),
  route(
    'POST ~/session/{id}/terminal-ticket',
    {
      id: 'create-terminal-ticket',
      summary: 'Create a ticket for the terminal of a session',
      repeat: { secret: 'ask for a new ticket with a new key; an unused one ends within a minute', id: '' },
      needs: { needs: 'watch', fields: { write: 'respond' } },
      description: 'A ticket opens the terminal once, within a minute.',
      body: Type.Optional(TicketRequest),
      ok: Ticket,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden'],
      extension: true,
    },
    (x) => city(x).sessions.terminals.ticket(x.params.id, x.body ?? {}),
  ),
  socket(
    'GET ~/session/{id}/terminal',
    {
      id: 'attach-terminal',
      summary: 'Attach to the terminal of a session',
      description: 'Binary messages carry the output of the program, and keys to it if the ticket allows typing.',
      query: Type.Object({ ticket: Type.Optional(Type.String({ description: 'From `terminal-ticket`.' })) }),
      sends: TerminalSends,
      takes: TerminalTakes,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden'],
      extension: true,
    },
    (x) => city(x).sessions.terminals.attach(x.params.id, x.query.ticket),
  ),
]
