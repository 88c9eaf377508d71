export { createDiscountsHad, type DiscountsHad } from './discounts-had.ts'
export { trialsLife } from './life.ts'
export { oldMarks } from './statements.ts'
export { createTrials, type EndedTrial, type Trials } from './trials.ts'
