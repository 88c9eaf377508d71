export { createDiscountsHad, type DiscountsHad } from './discounts-had.ts'
export { oldMarks } from './statements.ts'
export { createTrials, type EndedTrial, type Trials } from './trials.ts'
