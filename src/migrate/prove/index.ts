export { type AskOptions, type EmptySite, proveAsking } from './ask.ts'
export { type GateDifference, type Proof, type ProveOptions, proveAccess } from './prove.ts'
export { type DifferenceKind, differenceKinds } from './rules.ts'
