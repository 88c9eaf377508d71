export { fineMoment, modeOf, normalChanges, normalMoment } from './normal.ts'
export { providerAt } from './provider-at.ts'
export { askedBy, canAsk, isId, isPing, namedBy, provenChanges } from './trust.ts'
export { keptHeaders, verifyDelivery, verifyMs } from './verify-delivery.ts'
