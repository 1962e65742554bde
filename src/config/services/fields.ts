import {
  boolean,
  type Declaration,
  declareFields,
  oneOf,
  requiredString,
  type SectionReader,
  string,
  strings,
  table,
  type ValuesOf,
} from '../declare/index.ts'

const PUBLICATION = {
  visibility: oneOf('visibility', ['private', 'public', 'tenant']),
  hostname: string('hostname'),
  allowWebsockets: boolean('allow_websockets'),
}

const WORKFLOW = { contract: string('contract') }

const PROCESS = {
  command: strings('command'),
  healthPath: string('health_path'),
  /** A duration, judged when it is resolved. */
  responseTimeout: string('response_timeout'),
}

/** `[[service]]`: an address under `svc/` of the city, answered by gc itself or by a program of the city or a pack. */
export const SERVICE = {
  name: requiredString('name'),
  kind: oneOf('kind', ['workflow', 'proxy_process']),
  publishMode: oneOf('publish_mode', ['private', 'direct']),
  stateRoot: string('state_root'),
  publication: table('publication', PUBLICATION),
  workflow: table('workflow', WORKFLOW),
  process: table('process', PROCESS),
}
export type ServiceFields = ValuesOf<typeof SERVICE>

/** The services of a file; what is wrong with one of them concerns that one alone. */
export const servicesOf = (reader: SectionReader): Declaration<ServiceFields>[] =>
  ['service', 'services'].flatMap((key) =>
    reader.blocksApart(key, 'service').map(({ block, problems }) => ({ ...declareFields(block, SERVICE), problems })),
  )
