export { MoleculeAutoClose } from './auto-close.ts'
export { MoleculeResolved } from './events.ts'
export { WispRetention } from './wisp-retention.ts'
