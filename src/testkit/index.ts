export { type Clock, createClock } from './clock.ts'
export { type ContractCheck, providerContract } from './provider-contract.ts'
export { signed } from './signed.ts'
export { type PlainView, viewFrom } from './view.ts'
