import { createTwoFilesPatch } from 'diff'
import { applyEdits } from '../edits.ts'
import { mask } from '../mask.ts'
import type { Plan } from '../plan.ts'
import type { Source } from '../source.ts'

/** The plan as unified diffs, masked. `read` gives a file as it is. */
export const planDiff = function* (plan: Plan, read: (file: string) => Source): Generator<string> {
  for (const { file, edits } of plan.changes) {
    const { text } = read(file)
    const patch = createTwoFilesPatch(`a/${file}`, `b/${file}`, text, applyEdits(text, edits), '', '', {
      context: 3,
    })
    yield mask(patch.replace(/^=+\n/, '').replaceAll('\t\n', '\n'))
  }
}
