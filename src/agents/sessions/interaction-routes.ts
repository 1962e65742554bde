import { Type } from '@sinclair/typebox'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import type { CityOf } from '../../http/city-of.ts'
import { type DetailedNeed, ofOtherSessions } from '../../http/needs.ts'
import { route } from '../../http/route.ts'
import {
  PendingList,
  PermissionMode,
  Respond,
  Responded,
  SessionPending,
  SessionResponse,
  SubAgent,
  SubAgents,
} from '../../work/sessions/index.ts'
import { Transcript, TranscriptFormat } from '../conversations/index.ts'
import { GroupAnswer, GroupAnswered, QuestionAnswer, QuestionList, QuestionView } from '../questions/index.ts'
import type { SessionOperations } from './operations.ts'

const TO_ANSWER: DetailedNeed = { needs: 'respond', grant: 'answer' }

/** Operations on the questions, permissions and sub-agents of sessions. */
export const interactionRoutes = (city: CityOf<{ sessions: SessionOperations }>) => [
  route(
    'GET ~/pending',
    {
      id: 'get-v0-city-by-city-name-pending',
      summary: 'List the questions of sessions',
      description: 'Use `pending` of a session to read the text of its question.',
      ok: PendingList,
      index: true,
    },
    (x) => city(x).sessions.messaging.listPending(),
  ),
  route(
    'GET ~/session/{id}/pending',
    {
      id: 'get-v0-city-by-city-name-session-by-id-pending',
      summary: 'Get the question of a session',
      needs: ofOtherSessions('watch'),
      ok: SessionPending,
      errors: ['session-not-found', SESSION_CONFLICT],
      index: true,
    },
    (x) => city(x).sessions.messaging.pending(x.params.id),
  ),
  route(
    'POST ~/session/{id}/respond',
    {
      id: 'respond-session',
      summary: 'Answer the question of a session',
      repeat: { outside: 'look with `gc attention` whether the question is still there' },
      needs: TO_ANSWER,
      description:
        'An option of a dialog is chosen with its keys while the dialog is on the screen. If another dialog has taken its place, the answer is 409 and nothing is chosen.',
      body: Respond,
      ok: { 202: Responded },
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden', 'not-implemented'],
    },
    (x) => city(x).sessions.messaging.respond(x.params.id, x.caller, x.body),
  ),
  route(
    'GET ~/session/{id}/questions',
    {
      id: 'list-session-questions',
      summary: 'List questions and answers of a session',
      description:
        'The last 200 of at most 30 days, oldest first: what was asked, about which bead and folder, who answered what and when.',
      needs: ofOtherSessions('watch'),
      ok: QuestionList,
      errors: ['session-not-found', SESSION_CONFLICT],
      index: true,
      extension: true,
    },
    (x) => city(x).sessions.messaging.history(x.params.id),
  ),
  route(
    'POST ~/attention/{id}/answer',
    {
      id: 'answer-attention',
      summary: 'Answer a question',
      repeat: { outside: 'look with `gc attention` whether the question is still there' },
      needs: TO_ANSWER,
      description:
        'Exactly one answer is applied to a question. It is stored before it reaches the program, and completed after a restart of gc. A second or late answer is 409 with the outcome of the question.',
      body: QuestionAnswer,
      ok: QuestionView,
      errors: ['question-not-found', SESSION_CONFLICT, 'forbidden', 'not-implemented'],
      extension: true,
    },
    (x) => city(x).sessions.messaging.answer(x.params.id, x.caller, x.body),
  ),
  route(
    'POST ~/attention/answer',
    {
      id: 'answer-attention-group',
      summary: 'Answer equal questions together',
      repeat: { outside: 'look with `gc attention` which questions are still there' },
      needs: TO_ANSWER,
      description:
        'Answers those of `ids` that are equal to the byte to the one that was read, whose `same` it was. The others are left as they are, and reported. Each answer is recorded for its session, and applied once.',
      body: GroupAnswer,
      ok: GroupAnswered,
      errors: [SESSION_CONFLICT, 'forbidden', 'not-implemented'],
      extension: true,
    },
    (x) => city(x).sessions.messaging.answerGroup(x.caller, x.body),
  ),
  route(
    'POST ~/session/{id}/permission-mode',
    {
      id: 'post-v0-city-by-city-name-session-by-id-permission-mode',
      summary: 'Set the permission mode of a session',
      needs: 'sessions',
      description:
        'The mode applies from the next start. A running session must be suspended first. ACP programs switch immediately.',
      body: PermissionMode,
      ok: SessionResponse,
      errors: ['session-not-found', SESSION_CONFLICT, 'invalid-request', 'not-implemented'],
      index: true,
    },
    (x) => city(x).sessions.creating.choosePermissionMode(x.params.id, x.caller, x.body.permission_mode),
  ),
  route(
    'GET ~/session/{id}/agents',
    {
      id: 'get-v0-city-by-city-name-session-by-id-agents',
      summary: 'List the sub-agents of a session',
      ok: SubAgents,
      errors: ['session-not-found', SESSION_CONFLICT],
      index: true,
    },
    (x) => city(x).sessions.reading.subAgents(x.params.id),
  ),
  route(
    'GET ~/session/{id}/agents/{agentId}',
    {
      id: 'get-v0-city-by-city-name-session-by-id-agents-by-agent-id',
      summary: 'Get the conversation of a sub-agent',
      needs: ofOtherSessions('watch'),
      ok: SubAgent,
      errors: ['session-not-found', SESSION_CONFLICT, 'agent-not-found', 'invalid-request'],
      index: true,
    },
    (x) => city(x).sessions.reading.subAgent(x.params.id, x.params.agentId),
  ),
  route(
    'GET ~/session/{id}/agents/{agentId}/transcript',
    {
      id: 'get-sub-agent-transcript',
      summary: 'Get the transcript of a sub-agent',
      needs: ofOtherSessions('watch'),
      description: 'The conversation of an agent that the session’s agent started.',
      query: Type.Object({ format: Type.Optional(TranscriptFormat) }),
      ok: Transcript,
      errors: ['session-not-found', SESSION_CONFLICT, 'agent-not-found', 'invalid-request'],
      extension: true,
    },
    (x) => city(x).sessions.reading.subAgentTranscript(x.params.id, x.params.agentId, x.query.format),
  ),
]
