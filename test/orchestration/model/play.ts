import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestOf } from '../../../src/orchestration/runs/drain-manifest.ts'
import { human, openWork, type Work } from '../../work/world.ts'
import { type Member, type Program, type Report, toToml } from './grammar.ts'
import { Interpreter } from './interpreter.ts'
import { Drawing, randomFrom, reportOf } from './random.ts'

const TOML = '[[agent]]\nname = "clerk"\nstart_command = "true"\nmax_active_sessions = 3\nsuspended = true\n'
/** A run of these formulas takes far fewer. */
const MAX_MOVES = 2_000
const CANCEL = 0.004

/** A city whose agents do nothing on their own. */
export async function openModel(): Promise<Work> {
  const work = await openWork({ toml: TOML })
  mkdirSync(join(work.town.path, 'formulas'), { recursive: true })
  const script = join(work.town.path, 'check.sh')
  writeFileSync(script, '#!/bin/sh\n')
  chmodSync(script, 0o755)
  return work
}

export const drawProgram = (seed: number): Program => new Drawing(seed, `f${seed}`).program()

/** First difference between a run and the rules; undefined without one. */
export interface Difference {
  moves: string[]
  expected: unknown
  actual: unknown
}

/** Runs a formula with scripted workers, and compares it with the rules after every step. */
export async function play(work: Work, seed: number, program: Program): Promise<Difference | undefined> {
  const random = randomFrom(seed)
  const rules = new Interpreter(program)
  rules.settle()
  const root = await sling(work, program)
  const moves: string[] = []
  for (;;) {
    const [expected, actual] = [expectedOf(rules), pictureOf(work, root)]
    if (!Bun.deepEquals(expected, actual)) return { moves, ...onlyDifferent(expected, actual) }
    const choices = rules
      .runs()
      .flatMap((run) => [
        ...run.ready().map((ref) => ({ run, action: 'close', ref })),
        ...run.gates().map((ref) => ({ run, action: 'open', ref })),
        ...run.checks().map((ref) => ({ run, action: 'decide', ref })),
        ...run.guards().map((ref) => ({ run, action: 'excuse', ref })),
      ])
    const choice = choices[Math.floor(random() * choices.length)]
    if (!choice) return rules.isOver() ? undefined : { moves, expected: 'an end', actual: rules.state }
    if (moves.length > MAX_MOVES) return { moves, expected: `an end within ${MAX_MOVES} moves`, actual: rules.state }
    const move = random() < CANCEL ? { ...choice, action: 'cancel' } : choice
    const at = rootsOf(work, root).get(move.run.name()) ?? ''
    moves.push(await make(work, { ...move, seed, root: at, isGood: random() < 0.6 }))
    rules.settle()
    await settled(work)
  }
}

async function sling(work: Work, { formula, bonds, units, members }: Program): Promise<string> {
  const formulas = [formula, ...Object.values(bonds), ...Object.values(units)]
  const files = formulas.map((each) => join(work.town.path, 'formulas', `${each.formula}.toml`))
  formulas.forEach((each, at) => void writeFileSync(files[at] ?? '', toToml(each)))
  const attached = Object.keys(units).length > 0 && { attached_bead_id: await convoyOf(work, members) }
  const { root_bead_id = '' } = await work.sling.sling(human, {
    ...{ target: 'clerk', formula: formula.formula },
    ...attached,
  })
  // What a run does is what its formula said when it was started.
  for (const file of files) rmSync(file)
  await settled(work)
  return root_bead_id
}

/** A convoy of new beads. */
async function convoyOf(work: Work, members: readonly Member[]): Promise<string> {
  const ids = new Map<string, string>()
  for (const { name, needs } of members) {
    ids.set(name, (await work.add({ title: name, needs: needs.map((need) => ids.get(need) ?? '') })).id)
  }
  return (await work.convoys.create(human, { title: 'batch', items: [...ids.values()] })).id
}

interface Move {
  run: Interpreter
  action: string
  ref: string
  seed: number
  root: string
  isGood: boolean
}

/** Makes a move in the city and by the rules. */
async function make(work: Work, { run, action, ref, seed, root, isGood }: Move): Promise<string> {
  const id = idOf(work, root, ref)
  const name = `${run.name()}${ref}`
  switch (action) {
    case 'close': {
      const report = reportOf(seed, name)
      await work.beads.update(human, id, { status: 'closed', metadata: metadataOf(report) })
      run.close(ref, report)
      return `${name} reports ${JSON.stringify(report)}`
    }
    case 'open':
      await work.beads.close(human, id)
      run.close(ref, {})
      return `${name} opens`
    case 'excuse': {
      const failed = idOf(work, root, ref.replace(/-guard$/, ''))
      await work.beads.update(human, failed, { metadata: { 'gc.outcome': 'skipped' } })
      run.excuse(ref)
      return `what ${name} is behind is skipped`
    }
    case 'decide': {
      const iteration = checksOf(work).find(({ control }) => control === id)
      await work.host.exit(iteration?.key ?? '', isGood ? 0 : 1)
      run.decide(ref, isGood)
      return `the check of ${name} ${isGood ? 'passes' : 'fails'}`
    }
    default:
      await work.runs.cancel(human, root)
      run.cancel()
      return `the run ${run.name() || 'itself'} is canceled`
  }
}

function metadataOf({ outcome, failureClass, reason, items }: Report): Record<string, string> {
  const count = Number(items) || 0
  const list = JSON.stringify({ count, items: Array.from({ length: count }, (_, at) => `item ${at}`) })
  return {
    ...(outcome && { 'gc.outcome': outcome }),
    ...(failureClass && { 'gc.failure_class': failureClass }),
    ...(reason && { 'gc.failure_reason': reason }),
    'gc.output_json': items === 'broken' ? 'no JSON' : list,
  }
}

async function settled(work: Work): Promise<void> {
  await work.settled()
  await work.checkRunner.whenIdle()
  await work.settled()
}

/** The checks that run, each with the step that it decides about. */
function checksOf(work: Work): { key: string; control: string }[] {
  return work.host.running
    .filter((key) => key.includes(':check/'))
    .map((key) => {
      const attempt = work.host.starts.findLast((start) => start.key === key)?.env.GC_BEAD_ID ?? ''
      const waiting = work.beadRepository.list(
        work.beadRepository.dependentsOf(attempt).map(({ issue_id }) => issue_id),
      )
      return { key, control: waiting.find(({ metadata }) => metadata?.['gc.kind'] === 'ralph')?.id ?? '' }
    })
}

function idOf(work: Work, root: string, ref: string): string {
  const found = [...work.runMembers.of(root)].find((bead) => bead.ref === ref)
  if (!found) throw new Error(`there is no ${ref}`)
  return found.id
}

/** Expected state of the run and of the runs of its drains, by the rules. */
interface Picture {
  states: Record<string, string>
  ready: string[]
  checks: string[]
  beads: Record<string, string>
}

function expectedOf(rules: Interpreter): Picture {
  const runs = rules.runs()
  const named = (refsOf: (run: Interpreter) => string[]) =>
    runs.flatMap((run) => refsOf(run).map((ref) => run.name() + ref)).sort()
  return {
    states: Object.fromEntries(runs.map((run) => [run.name(), run.state])),
    ready: named((run) => run.ready()),
    checks: named((run) => run.checks()),
    beads: Object.assign({}, ...runs.map((run) => withPrefix(run.name(), run.beads))),
  }
}

const withPrefix = (prefix: string, record: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [prefix + key, value]))

/** The same, as the city has it. */
function pictureOf(work: Work, root: string): Picture {
  const roots = [...rootsOf(work, root)]
  const members = roots.flatMap(([name, id]) =>
    [work.beadRepository.get(id), ...work.runMembers.of(id)].map((bead) => ({
      ...bead,
      name: name + (bead.ref ?? ''),
    })),
  )
  const names = new Map(members.map(({ id, name }) => [id, name]))
  const namesOf = (ids: readonly string[]) => ids.flatMap((id) => names.get(id) ?? []).sort()
  const ready = work.beads.ready().value.items.map(({ id }) => id)
  return {
    states: Object.fromEntries(roots.map(([name, id]) => [name, work.runs.get(id).status])),
    ready: namesOf(ready),
    checks: namesOf(checksOf(work).map(({ control }) => control)),
    beads: Object.fromEntries(
      members.map(({ name, status, metadata }) => [
        name,
        status === 'closed' ? `closed ${metadata?.['gc.outcome'] ?? ''}`.trim() : 'open',
      ]),
    ),
  }
}

/** The roots of a run and of those that its drains began, by what the rules call those. */
function rootsOf(work: Work, root: string, name = ''): Map<string, string> {
  const units = [...work.runMembers.of(root)].flatMap((bead) =>
    (manifestOf(bead)?.rows ?? []).flatMap(({ index, item_root_id: unit }) =>
      unit === undefined ? [] : [...rootsOf(work, unit, `${name}${bead.ref}:${index}/`)],
    ),
  )
  return new Map([[name, root], ...units])
}

/** The two without the beads in which they agree. */
function onlyDifferent(expected: Picture, actual: Picture) {
  const differs = (ref: string) => expected.beads[ref] !== actual.beads[ref]
  const without = ({ beads, ...rest }: Picture) => ({
    ...rest,
    beads: Object.fromEntries(Object.entries(beads).filter(([ref]) => differs(ref))),
  })
  return { expected: without(expected), actual: without(actual) }
}
