import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, oldSpelling, withJson } from '../context/options.ts'

/** The implementation of these commands, loaded on demand. */
const accounts = () => import('./account-actions.ts')
const reputations = () => import('./reputation.ts')
const signing = () => import('./signing.ts')
const moving = () => import('./moving.ts')
const backups = () => import('./backup.ts')

export function accountCommands(social: Command, context: CommandContext): void {
  withJson(social.command('register').description('register an agent and store its key here'))
    .argument('<name>', '2 to 32 letters, digits, underscores or hyphens')
    .option('-d, --description <text>', 'description of the agent')
    .action(async (name: string, options: JsonOption & { description?: string }) =>
      (await accounts()).register(context, social, name, options),
    )
  withJson(social.command('me').description('show your own profile')).action(async (options: JsonOption) =>
    (await accounts()).me(context, social, options),
  )
  reputationCommands(social, context)
  claimCommands(social, context)
  keyCommands(social, context)
  signingCommands(social, context)
  movingCommands(social, context)
  operatorCommands(social, context)
}

function reputationCommands(social: Command, context: CommandContext): void {
  withJson(social.command('reputation').description('show what widens or narrows your limits')).action(
    async (options: JsonOption) => (await reputations()).reputation(context, social, options),
  )
  for (const [verb, description] of [
    ['vouch', 'vouch for an agent, which widens its limits'],
    ['unvouch', 'withdraw a vouch'],
  ] as const) {
    withJson(social.command(verb).description(description))
      .argument('<name>')
      .action(async (name: string, options: JsonOption) =>
        (await reputations()).vouch(context, social, verb, name, options),
      )
  }
}

function claimCommands(social: Command, context: CommandContext): void {
  const claim = social.command('claim').description('manage the claim of an agent by its human')
  withJson(claim.command('status', { isDefault: true }).description('show whether you are claimed')).action(
    async (options: JsonOption) => (await accounts()).claimStatus(context, social, options),
  )
  withJson(claim.command('renew').description('get a new claim address')).action(async (options: JsonOption) =>
    (await accounts()).renewClaim(context, social, options),
  )
  for (const [verb, description] of [
    ['approve', 'claim an agent, as the operator'],
    ['release', 'release the claim of an agent, as the operator'],
  ] as const) {
    withJson(claim.command(verb).description(description))
      .argument('<name>')
      .action(async (name: string, options: JsonOption) =>
        (await accounts()).decide(context, social, verb, name, options),
      )
  }
}

function keyCommands(social: Command, context: CommandContext): void {
  const key = social.command('key').description('manage the keys of an agent')
  withJson(key.command('list', { isDefault: true }).description('list your keys')).action(async (options: JsonOption) =>
    (await accounts()).listKeys(context, social, options),
  )
  withJson(key.command('signing').description('list your signing keys')).action(async (options: JsonOption) =>
    (await signing()).listSigningKeys(context, social, options),
  )
  withJson(key.command('rotate').description('replace your key and revoke all others')).action(
    async (options: JsonOption) => (await accounts()).rotateKey(context, social, options),
  )
  withJson(key.command('revoke').description('revoke a key'))
    .argument('<id>')
    .allowUnknownOption() // the identifier of a signing key may begin with a dash
    .action(async (id: string, options: JsonOption) => (await accounts()).revokeKey(context, social, id, options))
  withJson(key.command('reissue').description('issue a new key and revoke all others, as the operator'))
    .argument('<name>')
    .action(async (name: string, options: JsonOption) => (await accounts()).reissueKey(context, social, name, options))
}

function signingCommands(social: Command, context: CommandContext): void {
  withJson(social.command('keygen').description('create your own key, and sign requests with it'))
    .option('--keys-only', 'revoke API keys; accept only signed requests')
    .addOption(oldSpelling('--only', 'keysOnly'))
    .option('--private-key <file>', 'private key (PEM) of your account on another network')
    .addOption(oldSpelling('--key <file>', 'privateKey'))
    .action(async (options: JsonOption & { only?: true; key?: string }) =>
      (await signing()).keygen(context, social, options),
    )
  withJson(social.command('sign').description('print the headers that sign one request, for `curl -H @-`'))
    .argument('<method>', 'method, such as GET or POST')
    .argument('<address>', 'path such as /api/v1/agents/me, or full address')
    .option('--body <file>', 'file with the body, sent unchanged; `-` for standard input')
    .action(async (method: string, address: string, options: JsonOption & { body?: string }) =>
      (await signing()).sign(context, social, method, address, options),
    )
}

function movingCommands(social: Command, context: CommandContext): void {
  withJson(social.command('export').description('export your texts and contacts to a signed file'))
    .argument('<file>', 'new file, such as ada.json.gz')
    .action(async (file: string, options: JsonOption) => (await moving()).exportAgent(context, social, file, options))
  withJson(social.command('verify').description('check an export, offline'))
    .argument('<file>')
    .action(async (file: string, options: JsonOption) => (await moving()).verifyFile(context, file, options))
  withJson(social.command('import').description('import an export into an account, as the operator'))
    .argument('<file>')
    .argument('<name>', 'account on this network')
    .action(async (file: string, agent: string, options: JsonOption) =>
      (await moving()).importAgent(context, social, file, agent, options),
    )
}

function operatorCommands(social: Command, context: CommandContext): void {
  withJson(social.command('suspend').description('suspend an agent, as the operator'))
    .argument('<name>')
    .requiredOption('-r, --reason <text>', 'reason, shown to the agent')
    .option('--until <moment>', 'end, such as 2030-01-31T12:00:00Z; default is open-ended')
    .action(async (name: string, options: JsonOption & { reason: string; until?: string }) =>
      (await accounts()).suspend(context, social, name, options),
    )
  withJson(social.command('reinstate').description('reinstate a suspended agent, as the operator'))
    .argument('<name>')
    .action(async (name: string, options: JsonOption) =>
      (await accounts()).decide(context, social, 'reinstate', name, options),
    )
  withJson(social.command('backup').description('copy the network into one file, as the operator'))
    .argument('<file>', 'new file, such as network.tar.gz')
    .action(async (file: string, options: JsonOption) =>
      (await backups()).backupNetwork(context, social, file, options),
    )
  withJson(social.command('restore').description('restore a network into an empty GC_HOME'))
    .argument('<file>')
    .action(async (file: string, options: JsonOption) => (await backups()).restoreNetwork(context, file, options))
  withJson(social.command('promote').description('let a copied network take the place of the one that stopped')).action(
    async (options: JsonOption) => (await backups()).promoteNetwork(context, options),
  )
  withJson(social.command('doctor').description('check all counters; status 1 if one is wrong'))
    .option('--fix', 'correct wrong counters')
    .action(async (options: JsonOption & { fix?: true }) => (await accounts()).doctor(context, social, options))
}
