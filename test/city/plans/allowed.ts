import type { Step } from './recorded.ts'

/** Steps of some statements that walk through all of something or sort it, and why that does not grow with history. */
interface Allowed {
  step: RegExp
  /** Only in statements like this. */
  sql?: RegExp
  why: string
}

const walk = (what: string, why: string): Allowed => ({ step: new RegExp(`^SCAN (${what})( |$)`), why })
const live = (index: string, why: string): Allowed => ({ step: new RegExp(`^SCAN \\w+ USING .*INDEX ${index}$`), why })
const sort = (sql: RegExp, why: string): Allowed => ({ step: /^USE TEMP B-TREE/, sql, why })

export const ALLOWED: readonly Allowed[] = [
  walk('CONSTANT ROW|json_each|ids', 'the values it was given'),
  walk('\\(subquery-\\d+\\)|m|member', 'what another step of it has found, each judged by itself'),
  walk('assignees', 'the names of those who hold work that is not over'),
  walk('pragma_schema_version|sqlite_sequence', 'one row'),
  walk('bead_counts', 'sums: a row for each rig, type and status'),
  walk('closed_sessions', 'sums: a row for each agent'),
  walk('mail_counts', 'sums: a row for each box with mail in it'),
  walk('event_segments', 'sums: a row for some hundred events that are kept, once an hour'),
  walk('event_archives', 'a row for each archive that is kept, once a day'),
  walk('maintenance_runs', 'the last twenty'),
  walk('replays', 'from the oldest to the first that is still of use: what lies before is removed with it'),
  walk('requests', 'what was accepted and is not done'),
  walk('attention', 'what waits for a person, when a city opens'),
  walk('attention_mutes', 'kinds that people muted, when a city opens'),
  walk('answered_alike', 'at most a thousand agents with what people allow them, on request'),
  walk('rule_uses', 'rules that people added, when a city opens'),
  walk('troubles', 'agents and beads that are in trouble now'),
  walk('budgets', 'what people set'),
  walk('suspensions', 'what people suspended or resumed'),
  walk('network_accounts', 'a row for each agent that people gave an account'),
  walk('login_limits', 'logins that are limited or dead now'),
  walk('rig_clones', 'a row for each rig that was ever cloned'),
  walk('landing_totals', 'sums: a row for each outcome of a landing'),
  live('landing_trains_standing', 'rigs in which nothing lands now'),
  live('landing_checks_open', 'checks that run'),
  walk('worktrees', 'at most worktree_limit'),
  walk('project_files', 'what sessions that are not closed have in their folders'),
  walk('detached_processes', 'processes that outlived their session, at most 500'),
  walk('acp_runs', 'programs that run'),
  walk('extmsg_undelivered', 'conversations that nobody answers, at most 100'),
  walk('usage_places', 'sessions whose logs are being read, when a city opens'),
  walk('acp_questions', 'questions that wait for an answer'),
  walk('bead_search', 'the index of words, from the newest bead on, for a page'),
  walk('bead_unworded', 'beads whose words are still to be put in the index'),
  live('acp_sessions_template', 'conversations of the last month, once a day, a hundred at a time'),
  live('session_tokens_live', 'tokens that are good, when a city opens'),
  live('sessions_live', 'sessions that are not closed'),
  live('changes_undecided', 'changes that are neither landed nor discarded'),
  live('changes_all', 'the newest changes, for a page'),
  live('landing_letters_open', 'letters to owners of branches that have not arrived'),
  live('change_asks_open', 'requests for changes whose turns have not arrived'),
  walk('review_people', 'a row for each person who reviewed a change'),
  walk('change_totals', 'a row for each agent whose changes were decided'),
  live('changes_due', 'changes of which it is being decided whether they are ready'),
  live('questions_open', 'questions that wait for an answer, when a city opens'),
  live('order_runs_live', 'runs of orders that are not over'),
  walk('order_approval', 'one row at most'),
  walk('lenient_budgets', 'one row at most'),
  walk('usage_reports', 'one row for each agent, when a city opens'),
  live('runs_(listed|fed)', 'runs in the order they are listed in, for a page'),
  live('order_runs_fed', 'runs of orders in the order of feeds, for a page'),
  walk('instantiations', 'graphs that are being written, when a city opens'),
  walk('run_checks', 'checks that run or are to be started'),
  walk('service_processes', 'services: at most one row each'),
  walk('run_holds', 'runs that a person holds'),
  walk('run_restarts', 'runs of many steps that are being opened again'),
  walk('step_timeouts', 'attempts with a time limit that are worked on, when a city opens'),
  walk('run_drains', 'drains that have runs to write'),
  walk('run_state_counts', 'a row for each state of a run'),
  live('beads_ready', 'work that is ready'),
  live('runs_with_failure', 'runs in which a step failed and that nobody dismissed, at most 100'),
  live('beads_guarding', 'steps that failed and hold up what needs them'),
  live('beads_held', 'work in somebody’s hands'),
  live('waits_live', 'waits that are not over'),
  live('session_messages_(typing|waiting)', 'what waits to be typed'),
  sort(/ IN \(SELECT value FROM json_each\(\?/, 'the rows it was asked for by name'),
  sort(/\) ORDER BY created_at DESC, id DESC LIMIT \?$/, 'a page of each box of one reader'),
  sort(/WHERE m\.thread = \?/, 'messages of one thread from the same moment'),
  sort(
    /FROM (bead_counts|requests|budgets|login_limits|"network_accounts"|"worktrees"|"detached_processes")/i,
    'small tables, as above',
  ),
  sort(/FROM beads WHERE ready = 1 AND defer_until IS NOT NULL AND defer_until > /, 'work that is put off'),
  sort(/FROM beads .*WHERE (b\.)?n BETWEEN \? AND \? .*GROUP BY/s, 'the beads that one write inserts'),
  sort(/WHERE root_id = \?/, 'the members of one run or graph'),
  sort(/FROM bead_edges e CROSS JOIN beads b .* ORDER BY b\.n$/s, 'what waited for one bead alone'),
  sort(/FROM bead_edges WHERE \w+ = \?1 AND type = 'tracks'/, 'the members of one convoy, or the convoys of one bead'),
  sort(/FROM bead_comments|CROSS JOIN bead_comments/, 'what was said on one bead'),
  sort(/FROM usage_facts (INDEXED BY \w+ )?WHERE at >= /, 'what was used since a moment'),
  sort(/INDEXED BY wait_beads_on/, 'waits for one bead'),
  sort(/host_key/, 'sessions whose program the host has'),
  sort(/FROM session_messages WHERE session_id = \?/, 'what waits to be typed to one session'),
  sort(/count\(\*\) AS n FROM \( SELECT session_id/, 'what waits to be typed, or is being typed'),
]

export const isSuspect = ({ step }: Step): boolean => /^SCAN |USE TEMP B-TREE|AUTOMATIC/.test(step)

export const fits = ({ sql, step }: Step, allowed: Allowed): boolean =>
  allowed.step.test(step) && (allowed.sql?.test(sql) ?? true)
