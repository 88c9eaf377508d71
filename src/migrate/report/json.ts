import { mask } from '../mask.ts'
import type { Decision, Plan } from '../plan.ts'
import { isDone } from '../site.ts'

/** Renders a plan for machines. `version` changes when a field changes its meaning. Masked. */
export function planJson(plan: Plan) {
  return {
    version: 2,
    root: plan.root,
    provider: plan.facts.provider,
    field: plan.facts.field,
    isDone: isDone(plan),
    files: plan.files,
    changes: plan.changes.map(({ part, file, summary, edits }) => ({
      part,
      file,
      summary: summary.map(mask),
      edits: edits.length,
    })),
    databases: plan.databases.map(({ file, rows, summary }) => ({
      file,
      summary: summary.map(mask),
      rows: rows.length,
    })),
    decisions: plan.decisions.map(maskedDecision),
    webhooks: plan.webhooks,
    skipped: plan.skipped,
  }
}

function maskedDecision(decision: Decision): Decision {
  return {
    ...decision,
    reason: mask(decision.reason),
    replacement: decision.replacement === null ? null : mask(decision.replacement),
  }
}
