import type { Defect } from './defects.ts'

/** The files of a change: its content before and after, and modes that are not the usual one. */
export interface PlannedFile {
  readonly path: string
  readonly before?: string
  readonly after?: string
  readonly oldMode?: string
  readonly mode?: string
}

type Random = (below: number) => number

/** Numbers that look random and are the same on every run. */
function randomFrom(seed: number): Random {
  let state = seed * 2_654_435_761 + 12_345
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const NOUNS = [
  'order',
  'invoice',
  'shelf',
  'label',
  'parcel',
  'route',
  'ticket',
  'report',
  'basket',
  'rating',
  'slot',
  'badge',
]
const VERBS = [
  'load',
  'list',
  'format',
  'merge',
  'find',
  'group',
  'render',
  'collect',
  'update',
  'describe',
  'count',
  'sort',
]
const FIELDS = ['name', 'city', 'weight', 'status', 'colour', 'created', 'owner', 'price', 'title', 'size']

const pick = <Value>(random: Random, from: readonly [Value, ...Value[]] | readonly Value[]): Value => {
  const value = from[random(from.length)]
  if (value === undefined) throw new Error('nothing to pick from')
  return value
}
const capital = (word: string) => word[0]?.toUpperCase() + word.slice(1)

/** Functions in one language, each with some way to be edited without harm. */
type Language = 'ts' | 'py' | 'go' | 'rb' | 'rs' | 'sql'

function functionIn(language: Language, random: Random, at: number): string {
  const noun = pick(random, NOUNS)
  const verb = pick(random, VERBS)
  const [a, b] = [pick(random, FIELDS), pick(random, FIELDS)]
  const name = `${verb}${capital(noun)}${at}`
  switch (language) {
    case 'ts':
      return `/** ${capital(verb)}s one ${noun} by its ${a}. */
export async function ${name}(${a}: string, limit = ${10 + random(40)}): Promise<string[]> {
  const found = await store.${noun}s.where({ ${a}, ${b}: 'open' })
  if (found.length === 0) return []
  const names = found.slice(0, limit).map((each) => each.${b}.trim())
  return names.filter((each) => each !== '')
}
`
    case 'py':
      return `def ${verb}_${noun}_${at}(${a}, limit=${10 + random(40)}):
    """${capital(verb)} one ${noun} by its ${a}."""
    found = [each for each in store.${noun}s if each.${a} == ${a}]
    if not found:
        return []
    return sorted(found, key=lambda each: each.${b})[:limit]

`
    case 'go':
      return `// ${capital(name)} returns one ${noun} by its ${a}.
func ${capital(name)}(${a} string, limit int) ([]string, error) {
	found, err := store.${capital(noun)}s(${a})
	if err != nil {
		return nil, fmt.Errorf("${verb} ${noun}: %w", err)
	}
	return found[:min(limit, len(found))], nil
}

`
    case 'rb':
      return `  # ${capital(verb)}s one ${noun} by its ${a}.
  def ${verb}_${noun}_${at}(${a}, limit: ${10 + random(40)})
    found = ${capital(noun)}.where(${a}: ${a}).order(:${b})
    found.limit(limit).map { |each| each.${b} }
  end

`
    case 'rs':
      return `/// ${capital(verb)}s one ${noun} by its ${a}.
pub fn ${verb}_${noun}_${at}(${a}: &str, limit: usize) -> Result<Vec<String>> {
    let found = store()?.${noun}s(${a})?;
    Ok(found.into_iter().take(limit).map(|each| each.${b}).collect())
}

`
    case 'sql':
      return `CREATE TABLE ${noun}s_${at} (
  id bigint PRIMARY KEY,
  ${a} text NOT NULL,
  ${b}_at timestamptz NOT NULL DEFAULT now()
);

`
  }
}

function testIn(random: Random, at: number): string {
  const [noun, verb, field] = [pick(random, NOUNS), pick(random, VERBS), pick(random, FIELDS)]
  return `test('${verb}s a ${noun} with its ${field} ${at}', async () => {
  const ${noun} = await ${verb}${capital(noun)}('${field}', ${at})
  expect(${noun}).toHaveLength(${1 + random(5)})
  expect(${noun}[0]).toBe('${pick(random, FIELDS)}')
})

`
}

const count = <Value>(times: number, make: (at: number) => Value): Value[] =>
  Array.from({ length: times }, (_, at) => make(at))

/** Code that has an edit as a refactoring has: comments, names and limits. */
function edited(code: string, random: Random): string {
  const edits: readonly ((text: string) => string)[] = [
    (text) => text.replaceAll('found', 'matches'),
    (text) => text.replaceAll('each', 'item'),
    (text) => text.replace(/by its (\w+)/, 'by its $1, newest first'),
    (text) => text.replace(/limit ?= ?\d+/, (limit) => limit.replace(/\d+/, String(50 + random(50)))),
    // Conditions that are written in another way, or are not needed, as what follows has the same result.
    (text) => text.replace('found.length === 0', '!found.length').replace('if not found', 'if len(found) == 0'),
    (text) => text.replace(/ {2}if \(found\.length === 0\) return \[\]\n| {4}if not found:\n {8}return \[\]\n/, ''),
  ]
  return pick(random, edits)(code)
}

/** An existing file whose functions were edited here and there, with new ones at its end. */
function refactored(path: string, language: Language, random: Random, size = 5): PlannedFile {
  const parts = count(size, (at) => functionIn(language, random, at))
  const after = parts.map((part, at) => (at % 2 === 0 ? edited(part, random) : part))
  const added = count(1 + random(3), (at) => functionIn(language, random, 50 + at))
  return { path, before: parts.join('\n'), after: [...after, ...added].join('\n') }
}

/** Edits without harm, some of them in places that a reviewer looks at first. */
function harmless(random: Random): PlannedFile[] {
  const noun = () => `${pick(random, NOUNS)}-${random(90)}`
  const module = (folder: string, language: Language) =>
    refactored(`${folder}/${noun()}.${language}`, language, random, 4 + random(4))
  const created: PlannedFile = {
    path: `src/features/${noun()}/index.ts`,
    after: count(6, (at) => functionIn('ts', random, at)).join('\n'),
  }
  const tests = count(4, (at) => testIn(random, at))
  const moreTests: PlannedFile = {
    path: `test/features/${noun()}.test.ts`,
    before: tests.join(''),
    after: [...tests, ...count(5, (at) => testIn(random, 10 + at))].join(''),
  }
  const newTests: PlannedFile = {
    path: `test/views/${noun()}.test.ts`,
    after: count(5, (at) => testIn(random, at)).join(''),
  }
  const words = count(30, () => `  "${noun()}": "${capital(pick(random, VERBS))} the ${pick(random, NOUNS)}"`)
  const texts: PlannedFile = {
    path: 'locales/de.json',
    before: `{\n${words.slice(0, 22).join(',\n')}\n}\n`,
    after: `{\n${words.join(',\n')}\n}\n`,
  }
  const guide = count(
    25,
    () => `The ${pick(random, NOUNS)} shows its ${pick(random, FIELDS)} and ${pick(random, FIELDS)}.\n`,
  )
  const docs: PlannedFile = {
    path: `docs/${noun()}.md`,
    before: guide.join(''),
    after: guide.map((line, at) => (at % 4 === 0 ? line.replace('shows', 'displays') : line)).join(''),
  }
  const rules = count(
    24,
    () => `.${noun()} {\n  padding: ${random(9)}px;\n  color: var(--${pick(random, FIELDS)});\n}\n`,
  )
  const style: PlannedFile = {
    path: `src/styles/${noun()}.css`,
    before: rules.join('\n'),
    after: rules.map((rule, at) => (at % 5 === 0 ? rule.replace('padding', 'padding-inline') : rule)).join('\n'),
  }
  return [
    ...[created, moreTests, newTests, texts, docs, style, ...count(3 + random(3), () => module('src/lib', 'ts'))],
    ...[module('app/services', 'rb'), module('shop', 'py'), module('internal/store', 'go'), module('src/encode', 'rs')],
    ...decoys(random),
  ]
}

/** Edits without harm in files that look delicate. */
function decoys(random: Random): PlannedFile[] {
  const code = count(3, (at) => functionIn('ts', random, at)).join('\n')
  const all: readonly PlannedFile[] = [
    { path: 'src/auth/roles.ts', before: code, after: code.replaceAll('found', 'roles') },
    {
      path: '.github/workflows/docs.yml',
      before: 'name: Docs\non: push\njobs:\n  build:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: make docs\n',
      after:
        'name: Documentation\non: push\njobs:\n  build:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: make docs\n',
    },
    {
      path: 'services/web/package.json',
      before: '{\n  "name": "web",\n  "version": "1.4.0",\n  "private": true\n}\n',
      after: '{\n  "name": "web",\n  "version": "1.5.0",\n  "private": true\n}\n',
    },
    { path: `src/old/${pick(random, NOUNS)}.ts`, before: count(4, (at) => functionIn('ts', random, at)).join('\n') },
    {
      path: 'test/lib/helpers.test.ts',
      before: count(3, (at) => testIn(random, at)).join(''),
      after: count(3, (at) => testIn(random, at)).join(''),
    },
    {
      path: 'src/lib/fetch.ts',
      before: `${code}\nexport const load = (path: string) => fetch(new URL(path, base))\n`,
      after: `${code}\nexport const load = (path: string, signal?: AbortSignal) => fetch(new URL(path, base), { signal })\n`,
    },
    {
      path: 'test/lib/format.test.ts',
      before: `${testIn(random, 1)}test('formats a size', () => {\n  expect(formatSize(1000)).toBe('1000 B')\n})\n`,
      after: `${testIn(random, 1)}test('formats a size', () => {\n  expect(formatSize(1000)).toBe('1.0 kB')\n})\n`,
    },
    {
      path: 'tools/build/package.json',
      before: '{\n  "name": "build",\n  "dependencies": {\n    "esbuild": "0.24.0"\n  }\n}\n',
      after: '{\n  "name": "build",\n  "dependencies": {\n    "esbuild": "0.25.1",\n    "fflate": "0.8.2"\n  }\n}\n',
    },
    {
      path: 'scripts/pack.ts',
      before: `${code}\nconst files = list()\n`,
      after: `${code}\nconst files = list()\nexecFileSync('git', ['archive', '-o', target, 'HEAD'])\n`,
    },
    {
      path: 'src/lib/links.ts',
      before: `${code}\nexport const HELP = 'https://help.acme.dev/start'\n`,
      after: `${code}\nexport const HELP = 'https://docs.acme.dev/start'\n`,
    },
    {
      path: 'src/lib/retry.ts',
      before: `${code}\nexport async function retry(run: () => Promise<void>) {\n  for (let tries = 0; tries < 3; tries++) await run()\n}\n`,
      after: `${code}\nexport async function retry(run: () => Promise<void>, most = 3) {\n  for (let tries = 0; tries < most; tries++) await run()\n}\n`,
    },
    {
      path: 'src/lib/parse.ts',
      before: `${code}\nexport const parse = (text: string) => {\n  try {\n    return JSON.parse(text)\n  } catch (error) {\n    throw new ParseError(text, error)\n  }\n}\n`,
      after: `${code}\nexport const parse = (text: string) => {\n  try {\n    return JSON.parse(text)\n  } catch {\n    throw new ParseError(text)\n  }\n}\n`,
    },
    {
      path: 'db/migrations/0050_ratings.sql',
      after: functionIn('sql', random, 50),
    },
    {
      path: 'scripts/release.sh',
      before: '#!/bin/sh\nset -eu\nnpm run build\nnpm publish\n',
      after: '#!/bin/sh\nset -eu\nnpm ci\nnpm run build\nnpm publish\n',
      oldMode: '100755',
      mode: '100755',
    },
  ]
  const first = random(all.length)
  return count(5, (at) => all[(first + at * 3) % all.length] ?? { path: 'none' })
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  ts: 'ts',
  tsx: 'ts',
  py: 'py',
  go: 'go',
  rb: 'rb',
  rs: 'rs',
  sql: 'sql',
}

/** A defect in its file, with ordinary code around it. */
function planted(defect: Defect, random: Random): PlannedFile {
  const { path, before, after, oldMode, mode } = defect
  const modes = { ...(oldMode && { oldMode }), ...(mode && { mode }) }
  if (!defect.isAmongCode)
    return { path, ...(before !== undefined && { before }), ...(after !== undefined && { after }), ...modes }
  const language = LANGUAGES[path.slice(path.lastIndexOf('.') + 1)] ?? 'ts'
  const isTest = /test|spec/.test(path) && language === 'ts'
  const part = (at: number) => (isTest ? testIn(random, at) : functionIn(language, random, at))
  const above = count(2 + random(3), part)
  const below = count(2 + random(3), part)
  const last = above.at(-1) ?? ''
  return {
    path,
    before: [...above, before ?? '', ...below].join('\n'),
    after: [...above.slice(0, -1), edited(last, random), after ?? '', ...below, part(30)].join('\n'),
    ...modes,
  }
}

/** A change with one defect in it; its files are sorted as no one would read them. */
export function changeWith(defect: Defect, seed: number): PlannedFile[] {
  const random = randomFrom(seed + 1)
  const others = harmless(random).filter(({ path }) => path !== defect.path)
  return [...new Map([planted(defect, random), ...others].map((file) => [file.path, file])).values()]
}
