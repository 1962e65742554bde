import { mkdirSync, writeFileSync } from 'node:fs'
import type { RepeatableRequest } from '../../../src/core/actor.ts'
import type { Caller } from '../../../src/http/caller.ts'
import type {
  FormulaCook,
  SlingConvoy,
  SlingInputBody,
  SlingText,
} from '../../../src/orchestration/runs/sling/schema.ts'
import { human, openWork } from '../../work/world.ts'

const TOML = `
[[rigs]]
name = "press"
path = "../press"
prefix = "pr"
default_branch = "trunk"
default_sling_target = "press/hand"

[[rigs]]
name = "saw"
path = "../saw"
prefix = "sa"
formula_vars = { topic = "saws" }

[[agent]]
name = "solo"
start_command = "true"
max_active_sessions = 1
suspended = true

[[agent]]
name = "pool"
start_command = "true"
max_active_sessions = 3
suspended = true

[[agent]]
name = "hand"
dir = "press"
start_command = "true"
max_active_sessions = 3
suspended = true

[[agent]]
name = "formal"
start_command = "true"
max_active_sessions = 2
default_sling_formula = "line"
`

const GRAPH = '[requires]\nformula_compiler = ">=2.0.0"\n'

/** Formulas that most tests sling. */
const FORMULAS = {
  line: `formula = "line"\n${GRAPH}[vars.topic]\ndefault = "bridges"\n[[steps]]\nid = "plan"\ntitle = "Plan {{topic}}"\n[[steps]]\nid = "build"\ntitle = "Build {{topic}}"\nneeds = ["plan"]\nmetadata = { "gc.run_target" = "solo" }\n`,
  aimed: `formula = "aimed"\n${GRAPH}[[steps]]\nid = "do"\ntitle = "Do {{issue}}"\ndescription = "of {{convoy_id}}"\n`,
  bake: `formula = "bake"\n[vars.guests]\nrequired = true\npattern = "^[0-9]+$"\n[vars.title]\ndefault = "Bake"\n[[steps]]\nid = "mix"\ntitle = "Mix for {{guests}}"\n[[steps]]\nid = "serve"\ntitle = "Serve"\nneeds = ["mix"]\nassignee = "{{guests}}-person"\n`,
  tick: 'formula = "tick"\nphase = "vapor"\n[[steps]]\nid = "a"\ntitle = "Do a"\n',
}

/** A city with formulas; its agents are suspended, so that nothing starts automatically. */
export async function openLaunches(formulas: Readonly<Record<string, string>> = {}, toml = '') {
  const work = await openWork({ toml: TOML + toml })
  const folder = `${work.town.path}/formulas`
  mkdirSync(folder, { recursive: true })
  const declare = (name: string, text: string) => writeFileSync(`${folder}/${name}.toml`, text)
  for (const [name, text] of Object.entries({ ...FORMULAS, ...formulas })) declare(name, text)
  return {
    ...work,
    declare,
    slingConvoy: (body: SlingConvoy) => work.sling.slingConvoy(human, body),
    sling: (body: Partial<SlingInputBody>, caller: Caller = human) =>
      work.sling.sling(caller, { target: 'pool', ...body }),
    check: (body: Partial<SlingInputBody>) => work.sling.check({ target: 'pool', ...body }),
    cook: (formula: string, body: FormulaCook) => work.sling.cook(human, formula, body),
    slingText: (body: SlingText, request?: RepeatableRequest) =>
      work.sling.slingText({ ...human, ...(request && { request }) }, body),
    /** Metadata of a bead, without what every step has. */
    metadata: (id: string) => work.beadRepository.get(id).metadata ?? {},
  }
}

/** Requests that can be repeated: the answer to one is kept, that to the other fails as on a full disk. */
export function repeatableRequests() {
  const kept: unknown[] = []
  const request = { isRetry: false, begin: async () => {} }
  const keeps: RepeatableRequest = { ...request, keep: (_store, _write, answer) => void kept.push(answer) }
  const refuses: RepeatableRequest = {
    ...request,
    keep(_store, _write, answer) {
      if (answer !== undefined) throw new Error('no room')
    },
  }
  return { kept, keeps, refuses }
}
