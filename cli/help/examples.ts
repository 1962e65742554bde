import type { Command } from 'commander'
import { findCommand } from '../io/command-line.ts'

/** Command lines that the help of everyday commands shows, by the words of the command. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  init: ['gc init', 'gc init shop --rig ~/src/shop --provider claude --max 3', 'gc init shop --from ~/cities/town'],
  sling: [
    'gc sling "Fix the login page"',
    'gc sling web/worker bd-12 --on review',
    'gc sling web/worker release --formula --var version=1.4.0',
    'gc sling web/worker --stdin < task.md',
  ],
  status: ['gc status', 'gc status --watch', 'gc status shop --json'],
  attention: ['gc attention', 'gc attention --watch', 'gc attention answer 1 2 --text "Keep the old name"'],
  'attention answer': [
    'gc attention answer 1 approve',
    'gc attention answer web/worker 2',
    'gc attention answer 3 deny --text "Use the staging key"',
    'gc attention answer 1 approve --equal',
  ],
  tui: ['gc tui', 'gc tui --city shop', 'gc tui --plain'],
  up: ['gc up', 'gc up --port 8399'],
  down: ['gc down', 'gc down --keep-sessions'],
  start: ['gc start', 'gc start shop --dry-run'],
  stop: ['gc stop', 'gc stop shop --timeout 5m'],
  'bead list': ['gc bead list', 'gc bead list --status in_progress --rig web', 'gc bead list --all --json=id,title'],
  'bead show': ['gc bead show bd-12', "gc bead show bd-12 --format '{{.title}}'"],
  'bead create': [
    'gc bead create "Fix the login page" --rig web --priority 1',
    'gc bead create "Publish" --needs bd-12,bd-13',
    'gc bead create --file beads.jsonl',
  ],
  'bead close': ['gc bead close bd-12 --reason "Fixed in 1.4.1"'],
  'bead search': ['gc bead search login page --status open'],
  'session list': ['gc session list', 'gc session list --rig web --state all', 'gc session list --watch'],
  'session new': ['gc session new web/worker --alias nightly --message "Read the open beads"'],
  'session attach': ['gc session attach web/worker', 'gc session attach web/worker --read-only'],
  'session send': [
    'gc session send web/worker "Run the tests again"',
    'gc session send web/worker - --later < note.md',
  ],
  'session peek': ['gc session peek web/worker --lines 20'],
  'session transcript': [
    'gc session transcript web/worker --tail 20',
    'gc session transcript web/worker --follow',
    'gc session transcript web/worker --view structured',
  ],
  'session search': ['gc session search migration failed --since 2d'],
  review: ['gc review', 'gc review show ch-12', 'gc review diff ch-12 --since-last', 'gc review approve ch-12'],
  'review comment': ['gc review comment ch-12 src/login.ts:40-44 --text "Handle the empty name"'],
  'review ask': ['gc review ask ch-12', 'gc review ask ch-12 --text "Add a test as well"'],
  land: ['gc land status', 'gc land submit', 'gc land log ld-7f3k2m', 'gc land retry ld-7f3k2m'],
  'land submit': [
    'gc land submit',
    'gc land submit --session web/worker',
    'gc land submit --rig web --branch fix-login',
  ],
  'rig add': ['gc rig add ~/src/shop', 'gc rig add shop --git-url https://example.com/shop.git --land pr'],
  'rig land': ['gc rig land web', 'gc rig land web --mode pr --check "npm test"', 'gc rig land web --unset check'],
  'agent add': [
    'gc agent add web/worker --provider claude --max 3',
    'gc agent add reviewer --provider codex --prompt-file reviewer.md',
  ],
  'rule add': ["gc rule add --allow 'npm test' --rig web --for 30d", 'gc rule add --fetch docs.example.com'],
  'mail send': ['gc mail send web/worker -s "Release" -m "Freeze until Friday"', 'gc mail send human - < report.md'],
  'mail inbox': ['gc mail inbox', 'gc mail inbox human --unread'],
  'formula show': ['gc formula show release --var version=1.4.0', 'gc formula show release --mermaid'],
  'run list': ['gc run list', 'gc run list --watch'],
  'run retry': ['gc run retry bd-40', 'gc run retry bd-40 --step build'],
  'order run': ['gc order run nightly', 'gc order run nightly --var branch=main --detach'],
  'budget set': ['gc budget set 20usd', 'gc budget set 2M --agent web/worker --per day'],
  usage: ['gc usage', 'gc usage --json'],
  events: [
    'gc events --since 10m',
    'gc events --follow --type bead.closed',
    'gc events --watch --type bead.closed --timeout 60s',
  ],
  logs: ['gc logs --follow', 'gc logs --since 2h --session-host'],
  doctor: ['gc doctor', 'gc doctor --fix'],
  backup: ['gc backup shop.tar.gz'],
  restore: ['gc restore shop.tar.gz ~/cities/shop'],
  upgrade: ['gc upgrade --available', 'gc upgrade', 'gc upgrade --binary ./gc-new --dry-run'],
  confine: ['gc confine -- npm test', 'gc confine --host api.example.com --write ../cache -- ./build.sh'],
  'confine explain': ['gc confine explain web/worker'],
  api: ['gc api /v0/cities', 'gc api ~/beads -F title=Paint -F priority=1', 'gc api ~/events/stream'],
}

/** Adds its examples to the help of every command that is defined. */
export function addExamples(program: Command): void {
  for (const [words, lines] of Object.entries(EXAMPLES)) {
    const command = words
      .split(' ')
      .reduce<Command | undefined>((outer, word) => outer && findCommand(outer, word), program)
    command?.addHelpText('after', ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n'))
  }
}
