import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { ofOtherRuns } from '../../http/needs.ts'
import { route } from '../../http/route.ts'
import { FormulaFeedBody, FormulaFeedQuery, FormulaRunsQuery, FormulaRunsResponse } from '../formulas/index.ts'
import { RunDismissal } from '../schema.ts'
import type { RunControls } from './controls.ts'
import { RunControlResponse, RunPauseBody, RunRetryBody, RunSkipBody } from './controls-schema.ts'
import type { FormulaRuns } from './formula-runs.ts'
import type { RunRestarts } from './restarts.ts'
import type { Runs } from './runs.ts'
import {
  Run,
  RunCancelOutputBody,
  RunStepsOutputBody,
  RunsCensusOutputBody,
  RunsListOutputBody,
  RunsPage,
  RunsPageQuery,
  RunsProgress,
  RunsQuery,
  ScopeQuery,
  WorkflowDeleteQuery,
  WorkflowDeleteResponse,
  WorkflowSnapshotResponse,
} from './schema.ts'
import type { RunTimelines } from './timeline.ts'
import { RunProgress, RunTimeline, RunTimelineQuery } from './timeline-schema.ts'
import type { RunWaits } from './waits.ts'
import type { Workflows } from './workflows.ts'

/** The operations on runs and their graphs. */
export const runRoutes = (
  city: CityOf<{
    runs: Runs
    formulaRuns: FormulaRuns
    runControls: RunControls
    runRestarts: RunRestarts
    runWaits: RunWaits
    runTimelines: RunTimelines
    workflows: Workflows
  }>,
) => [
  route(
    'GET ~/runs',
    {
      id: 'get-v0-city-by-city-name-runs',
      summary: 'List runs',
      description: 'Active, then waiting, then finished runs; each group by latest change.',
      query: RunsQuery,
      ok: RunsListOutputBody,
    },
    (exchange) => city(exchange).runs.list(exchange.query.limit),
  ),
  route(
    'GET ~/runs/census',
    {
      id: 'get-v0-city-by-city-name-runs-census',
      summary: 'Count runs by status',
      ok: RunsCensusOutputBody,
    },
    (exchange) => city(exchange).runs.census(),
  ),
  route(
    'GET ~/runs/pages',
    {
      id: 'list-runs-by-pages',
      summary: 'List runs by page',
      description: 'In the order of GET runs: active, waiting, finished.',
      query: RunsPageQuery,
      ok: RunsPage,
      errors: ['invalid-cursor'],
      extension: true,
    },
    (exchange) => city(exchange).runs.page(exchange.query),
  ),
  route(
    'GET ~/runs/standing',
    {
      id: 'list-runs-standing',
      summary: 'Show the progress and variables of runs',
      query: Type.Object({
        ids: Type.Optional(Type.String({ description: 'At most 100 runs, separated by commas; none when absent.' })),
      }),
      ok: RunsProgress,
      errors: ['invalid-request'],
      extension: true,
    },
    (exchange) => city(exchange).runs.standing(exchange.query.ids ?? ''),
  ),
  route(
    'GET ~/runs/{run_id}',
    {
      id: 'get-v0-city-by-city-name-runs-by-run-id',
      summary: 'Show a run',
      ok: Run,
      errors: ['run-not-found'],
    },
    (exchange) => city(exchange).runs.get(exchange.params.run_id),
  ),
  route(
    'GET ~/runs/{run_id}/steps',
    {
      id: 'get-v0-city-by-city-name-runs-by-run-id-steps',
      summary: 'List the steps of a run',
      ok: RunStepsOutputBody,
      errors: ['run-not-found'],
    },
    (exchange) => city(exchange).runs.steps(exchange.params.run_id),
  ),
  route(
    'POST ~/runs/{run_id}/cancel',
    {
      id: 'post-v0-city-by-city-name-runs-by-run-id-cancel',
      summary: 'Cancel a run',
      needs: ofOtherRuns,
      description: 'Closes its root and its open beads as canceled. Closed beads do not change.',
      ok: { 202: RunCancelOutputBody },
      errors: ['run-not-found', 'conflict-wrong-state'],
    },
    (exchange) => city(exchange).runs.cancel(exchange.caller, exchange.params.run_id),
  ),
  route(
    'GET ~/runs/{run_id}/progress',
    {
      id: 'get-run-progress',
      summary: 'Show what a run waits for',
      ok: RunProgress,
      errors: ['run-not-found'],
      extension: true,
    },
    (exchange) => city(exchange).runWaits.progress(exchange.params.run_id),
  ),
  route(
    'GET ~/runs/{run_id}/timeline',
    {
      id: 'get-run-timeline',
      summary: 'Show the outcome of every step of a run',
      description: 'Times, assignees, sessions and usage of each step. Attempts are separate steps.',
      query: RunTimelineQuery,
      ok: RunTimeline,
      errors: ['invalid-request', 'run-not-found'],
      extension: true,
    },
    (exchange) => city(exchange).runTimelines.read(exchange.params.run_id, exchange.query),
  ),
  route(
    'POST ~/runs/{run_id}/dismiss',
    {
      id: 'dismiss-run',
      summary: 'Dismiss the failure of a run',
      description:
        'A run with a failed step needs attention until it is dismissed or retried. Dismissing does not change the run.',
      needs: 'coordinate',
      ok: RunDismissal,
      errors: ['run-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (exchange) => city(exchange).runControls.dismiss(exchange.caller, exchange.params.run_id),
  ),
  route(
    'POST ~/runs/{run_id}/pause',
    {
      id: 'pause-run',
      summary: 'Pause a run',
      needs: ofOtherRuns,
      description:
        'Nothing of it is offered or started until it is resumed. Steps that are worked on, and checks that run, are finished. A paused run is `waiting`. Runs that a drain of it started for members pause and resume with it.',
      body: RunPauseBody,
      ok: RunControlResponse,
      errors: ['run-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (exchange) => city(exchange).runControls.pause(exchange.caller, exchange.params.run_id, exchange.body),
  ),
  route(
    'POST ~/runs/{run_id}/resume',
    {
      id: 'resume-run',
      summary: 'Resume a paused run',
      needs: ofOtherRuns,
      ok: RunControlResponse,
      errors: ['run-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (exchange) => city(exchange).runControls.resume(exchange.caller, exchange.params.run_id),
  ),
  route(
    'POST ~/runs/{run_id}/retry',
    {
      id: 'retry-run',
      summary: 'Retry steps of a run',
      needs: ofOtherRuns,
      description:
        'A step is done again with all that comes after it, also when the run is over. A step with attempts gets as many again; those there were stay as they ended.',
      body: RunRetryBody,
      ok: RunControlResponse,
      errors: ['invalid-request', 'run-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (exchange) => city(exchange).runRestarts.retry(exchange.caller, exchange.params.run_id, exchange.body),
  ),
  route(
    'POST ~/runs/{run_id}/skip',
    {
      id: 'skip-run-step',
      summary: 'Skip a step of a run',
      needs: ofOtherRuns,
      description: 'A failed or unstarted step counts as skipped. A run that failed because of it continues.',
      body: RunSkipBody,
      ok: RunControlResponse,
      errors: ['invalid-request', 'run-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (exchange) => city(exchange).runRestarts.skip(exchange.caller, exchange.params.run_id, exchange.body),
  ),
  route(
    'GET ~/workflow/{workflow_id}',
    {
      id: 'get-v0-city-by-city-name-workflow-by-workflow-id',
      summary: 'Show the graph of a run',
      query: ScopeQuery,
      ok: WorkflowSnapshotResponse,
      errors: ['invalid-request', 'workflow-not-found'],
      index: true,
    },
    (exchange) => city(exchange).workflows.snapshot(exchange.params.workflow_id, exchange.query),
  ),
  route(
    'DELETE ~/workflow/{workflow_id}',
    {
      id: 'delete-v0-city-by-city-name-workflow-by-workflow-id',
      summary: 'Close the graph of a run, or remove it',
      needs: 'coordinate',
      query: WorkflowDeleteQuery,
      ok: WorkflowDeleteResponse,
      errors: ['workflow-not-found'],
    },
    (exchange) => city(exchange).workflows.delete(exchange.caller, exchange.params.workflow_id, exchange.query),
  ),
  route(
    'GET ~/formulas/feed',
    {
      id: 'get-v0-city-by-city-name-formulas-feed',
      summary: 'List runs of formulas, active ones first',
      query: FormulaFeedQuery,
      ok: FormulaFeedBody,
      errors: ['invalid-request', 'scope-not-found'],
    },
    (exchange) => city(exchange).formulaRuns.feed(exchange.query),
  ),
  route(
    'GET ~/formulas/{name}/runs',
    {
      id: 'get-v0-city-by-city-name-formulas-by-name-runs',
      summary: 'List the latest runs of a formula',
      query: FormulaRunsQuery,
      ok: FormulaRunsResponse,
      errors: ['invalid-request', 'scope-not-found'],
    },
    (exchange) => city(exchange).formulaRuns.list(exchange.params.name, exchange.query),
  ),
]
