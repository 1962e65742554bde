import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { human, openWork, type Work } from '../../work/world.ts'
import { type FormulaText, type Report, toToml } from './grammar.ts'
import { Interpreter } from './interpreter.ts'
import { Drawing, type Program, randomFrom, reportOf } from './random.ts'

const TOML = '[[agent]]\nname = "clerk"\nstart_command = "true"\nmax_active_sessions = 3\nsuspended = true\n'
/** A run of these formulas takes far fewer. */
const MAX_MOVES = 2_000
const CANCEL = 0.004

/** A city whose agents do nothing by themselves. */
export async function openModel(): Promise<Work> {
  const work = await openWork({ toml: TOML })
  mkdirSync(join(work.town.path, 'formulas'), { recursive: true })
  const script = join(work.town.path, 'check.sh')
  writeFileSync(script, '#!/bin/sh\n')
  chmodSync(script, 0o755)
  return work
}

export const drawProgram = (seed: number): Program => new Drawing(seed, `f${seed}`).program()

/** Where a run and the rules part: undefined when they do not. */
export interface Difference {
  moves: string[]
  expected: unknown
  actual: unknown
}

/** Runs a formula with scripted workers, and compares it with the rules after every step. */
export async function play(work: Work, seed: number, { formula, bonds }: Program): Promise<Difference | undefined> {
  const random = randomFrom(seed)
  const rules = new Interpreter(formula, bonds)
  const root = await sling(work, [formula, ...Object.values(bonds)])
  const moves: string[] = []
  for (;;) {
    const expected = {
      state: rules.state,
      ready: rules.ready().sort(),
      checks: rules.checks().sort(),
      beads: rules.beads,
    }
    const actual = pictureOf(work, root)
    if (!Bun.deepEquals(expected, actual)) return { moves, ...onlyDifferent(expected, actual) }
    const choices = [
      ...rules.ready().map((ref) => ({ action: 'close', ref })),
      ...rules.gates().map((ref) => ({ action: 'open', ref })),
      ...rules.checks().map((ref) => ({ action: 'decide', ref })),
      ...rules.guards().map((ref) => ({ action: 'excuse', ref })),
    ]
    const choice = choices[Math.floor(random() * choices.length)]
    if (!choice) return isOver(rules.state) ? undefined : { moves, expected: 'an end', actual: rules.state }
    if (moves.length > MAX_MOVES) return { moves, expected: `an end within ${MAX_MOVES} moves`, actual: rules.state }
    const move = random() < CANCEL ? { action: 'cancel', ref: formula.formula } : choice
    moves.push(await make(work, rules, { ...move, seed, root, isGood: random() < 0.6 }))
    await settled(work)
  }
}

const isOver = (state: string): boolean => ['completed', 'failed', 'canceled'].includes(state)

async function sling(work: Work, formulas: readonly FormulaText[]): Promise<string> {
  const files = formulas.map(({ formula }) => join(work.town.path, 'formulas', `${formula}.toml`))
  formulas.forEach((each, at) => void writeFileSync(files[at] ?? '', toToml(each)))
  const { root_bead_id = '' } = await work.sling.sling(human, { target: 'clerk', formula: formulas[0]?.formula ?? '' })
  // What a run does is what its formula said when it was started.
  for (const file of files) rmSync(file)
  await settled(work)
  return root_bead_id
}

interface Move {
  action: string
  ref: string
  seed: number
  root: string
  isGood: boolean
}

/** Makes a move in the city and by the rules. */
async function make(work: Work, rules: Interpreter, { action, ref, seed, root, isGood }: Move): Promise<string> {
  const id = action === 'cancel' ? root : idOf(work, root, ref)
  switch (action) {
    case 'close': {
      const report = reportOf(seed, ref)
      await work.beads.update(human, id, { status: 'closed', metadata: metadataOf(report) })
      rules.close(ref, report)
      return `${ref} reports ${JSON.stringify(report)}`
    }
    case 'open':
      await work.beads.close(human, id)
      rules.close(ref, {})
      return `${ref} opens`
    case 'excuse': {
      const failed = idOf(work, root, ref.replace(/-guard$/, ''))
      await work.beads.update(human, failed, { metadata: { 'gc.outcome': 'skipped' } })
      rules.excuse(ref)
      return `what ${ref} is behind is skipped`
    }
    case 'decide': {
      const iteration = checksOf(work).find(({ control }) => control === id)
      await work.host.exit(iteration?.key ?? '', isGood ? 0 : 1)
      rules.decide(ref, isGood)
      return `the check of ${ref} ${isGood ? 'passes' : 'fails'}`
    }
    default:
      await work.runs.cancel(human, root)
      rules.cancel()
      return 'the run is canceled'
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

/** How a run stands. */
function pictureOf(work: Work, root: string) {
  const members = [work.beadRepository.get(root), ...work.runMembers.of(root)]
  const refs = new Map(members.map(({ id, ref = '' }) => [id, ref]))
  const refsOf = (ids: readonly string[]) => ids.flatMap((id) => refs.get(id) ?? []).sort()
  const ready = work.beads.ready().value.items.map(({ id }) => id)
  return {
    state: work.runs.get(root).status,
    ready: refsOf(ready),
    checks: refsOf(checksOf(work).map(({ control }) => control)),
    beads: Object.fromEntries(
      members.map(({ ref = '', status, metadata }) => [
        ref,
        status === 'closed' ? `closed ${metadata?.['gc.outcome'] ?? ''}`.trim() : 'open',
      ]),
    ),
  }
}

type Picture = Omit<ReturnType<typeof pictureOf>, 'state'> & { state: string }

/** The two without the beads in which they agree. */
function onlyDifferent(expected: Picture, actual: Picture) {
  const differs = (ref: string) => expected.beads[ref] !== actual.beads[ref]
  const without = ({ beads, ...rest }: Picture) => ({
    ...rest,
    beads: Object.fromEntries(Object.entries(beads).filter(([ref]) => differs(ref))),
  })
  return { expected: without(expected), actual: without(actual) }
}
