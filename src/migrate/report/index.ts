export { planHtml } from './html.ts'
export { planJson } from './json.ts'
export { planDiff, planText, rollbackText, writeText } from './text.ts'
