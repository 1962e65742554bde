import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import type { DetailedNeed } from '../../http/needs.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody, pageSize, paging } from '../../http/schema.ts'
import type { Changes } from './changes.ts'
import type { Reviews } from './reviews.ts'
import {
  ApproveRequest,
  AskRequest,
  Change,
  ChangeComment,
  ChangeDiff,
  ChangeList,
  ChangeView,
  CommentDraft,
  CommentText,
  DiscardRequest,
  ReviewerTotals,
} from './schema.ts'

const TO_REVIEW: DetailedNeed = { needs: 'operator', grant: 'review' }
const ofOtherChanges: DetailedNeed = { needs: 'watch', ownable: 'change' }

/** The operations on changes; all of them are extensions. */
export const changeRoutes = (city: CityOf<{ changes: Changes; reviews: Reviews }>) => [
  route(
    'GET ~/changes',
    {
      id: 'list-changes',
      summary: 'List changes of sessions for review',
      description: 'Newest first. Without `state`, those that are neither landed nor discarded.',
      needs: 'watch',
      query: Type.Object({
        ...paging,
        state: Type.Optional(
          Type.String({
            description: 'One of `working`, `ready`, `asked`, `approved`, `landed` and `discarded`, or `all`.',
          }),
        ),
        rig: Type.Optional(Type.String()),
        agent: Type.Optional(Type.String()),
        bead: Type.Optional(Type.String()),
      }),
      ok: ChangeList,
      errors: ['invalid-cursor', 'invalid-request'],
      extension: true,
    },
    (x) => city(x).changes.list({ ...x.query, limit: pageSize(x.query.limit) }),
  ),
  route(
    'GET ~/changes/reviewers',
    {
      id: 'list-reviewers',
      summary: 'List review decisions with their duration and cost',
      ok: ReviewerTotals,
      extension: true,
    },
    (x) => city(x).reviews.reviewers(),
  ),
  route(
    'GET ~/change/{id}',
    {
      id: 'show-change',
      summary: 'Show a change with files, comments, rounds, reviewers and cost',
      description:
        'Drafts of comments are shown to their author. Once a change was decided 30 days ago, its files and commits are gone.',
      needs: ofOtherChanges,
      ok: ChangeView,
      errors: ['change-not-found', 'service-unavailable'],
      extension: true,
    },
    (x) => city(x).changes.show(x.caller, x.params.id),
  ),
  route(
    'GET ~/change/{id}/diff',
    {
      id: 'show-change-diff',
      summary: 'Show the diff of a change by file and hunk',
      description:
        'No filter, hook or other program that a repository names is run. Generated and lock files are folded.',
      needs: ofOtherChanges,
      query: Type.Object({
        file: Type.Optional(Type.String({ description: 'Only this file, unfolded.' })),
        since: Type.Optional(
          Type.Integer({ minimum: 1, description: 'A round: shows what is new since then, also after a rebase.' }),
        ),
        cursor: Type.Optional(Type.String({ description: 'The `cursor` of the page before.' })),
      }),
      ok: ChangeDiff,
      errors: [
        'change-not-found',
        'conflict-wrong-state',
        'invalid-cursor',
        'service-unavailable',
        'validation-failed',
      ],
      extension: true,
    },
    (x) => city(x).changes.diff(x.params.id, x.query),
  ),
  ...commentRoutes(city),
  ...decisionRoutes(city),
]

const commentRoutes = (city: CityOf<{ reviews: Reviews }>) => [
  route(
    'POST ~/change/{id}/comments',
    {
      id: 'comment-on-change',
      summary: 'Draft a comment on lines of a change',
      description: 'Drafts are gathered for each person, and sent with `POST ~/change/{id}/ask`.',
      needs: TO_REVIEW,
      body: CommentDraft,
      ok: ChangeComment,
      errors: ['change-not-found', 'conflict-wrong-state', 'forbidden', 'service-unavailable'],
      extension: true,
    },
    (x) => city(x).reviews.comment(x.caller, x.params.id, x.body),
  ),
  route(
    'PATCH ~/change/{id}/comment/{n}',
    {
      id: 'edit-change-comment',
      summary: 'Change the text of a draft',
      needs: TO_REVIEW,
      body: CommentText,
      ok: ChangeComment,
      errors: ['change-not-found', 'comment-not-found', 'conflict-wrong-state', 'forbidden'],
      extension: true,
    },
    (x) => city(x).reviews.editDraft(x.caller, x.params.id, Number(x.params.n), x.body.text),
  ),
  route(
    'DELETE ~/change/{id}/comment/{n}',
    {
      id: 'remove-change-comment',
      summary: 'Remove a draft',
      needs: TO_REVIEW,
      ok: OKResponseBody,
      errors: ['change-not-found', 'comment-not-found', 'conflict-wrong-state', 'forbidden'],
      extension: true,
    },
    (x) => city(x).reviews.removeDraft(x.caller, x.params.id, Number(x.params.n)),
  ),
  route(
    'POST ~/change/{id}/comment/{n}/reply',
    {
      id: 'reply-to-change-comment',
      summary: 'Reply to a comment on a change',
      description:
        'For the session of the change. Once all comments are answered, the change is ready for review again.',
      needs: { ...TO_REVIEW, ownable: 'change' },
      body: CommentText,
      ok: ChangeComment,
      errors: ['change-not-found', 'comment-not-found', 'forbidden'],
      extension: true,
    },
    (x) => city(x).reviews.reply(x.caller, x.params.id, Number(x.params.n), x.body.text),
  ),
]

const decisionRoutes = (city: CityOf<{ reviews: Reviews }>) => [
  route(
    'POST ~/change/{id}/look',
    {
      id: 'look-at-change',
      summary: 'Start reviewing a change',
      description: 'The time from here to your decision is recorded. Each round counts once.',
      needs: TO_REVIEW,
      ok: Change,
      errors: ['change-not-found', 'forbidden'],
      extension: true,
    },
    (x) => city(x).reviews.look(x.caller, x.params.id),
  ),
  route(
    'POST ~/change/{id}/ask',
    {
      id: 'ask-for-changes',
      summary: 'Send review comments to the session of a change',
      description:
        'Sends all your drafts, and a text, as one turn of its conversation. A closed session is opened again; where that is impossible, its bead is, with the comments in its description.',
      needs: TO_REVIEW,
      body: AskRequest,
      ok: Change,
      errors: ['change-not-found', 'conflict-wrong-state', 'forbidden'],
      extension: true,
    },
    (x) => city(x).reviews.ask(x.caller, x.params.id, x.body),
  ),
  route(
    'POST ~/change/{id}/approve',
    {
      id: 'approve-change',
      summary: 'Approve a change at the commit that you saw',
      needs: TO_REVIEW,
      body: ApproveRequest,
      ok: Change,
      errors: ['change-not-found', 'conflict-concurrent-modify', 'conflict-wrong-state', 'forbidden'],
      extension: true,
    },
    (x) => city(x).reviews.approve(x.caller, x.params.id, x.body.head),
  ),
  route(
    'POST ~/change/{id}/discard',
    {
      id: 'discard-change',
      summary: 'Discard a change',
      description:
        'Nothing is lost: its commits are kept for 30 days, and its branch stays. The worktree of a closed session is stored as a snapshot and removed.',
      needs: TO_REVIEW,
      body: Type.Optional(DiscardRequest),
      ok: Change,
      errors: ['change-not-found', 'conflict-wrong-state', 'forbidden'],
      extension: true,
    },
    (x) => city(x).reviews.discard(x.caller, x.params.id, x.body?.reason),
  ),
]
